#include "cli/demo/files.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "ductile/error.hpp"

namespace ductile::cli::demo {

namespace {

std::ifstream open_to_read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw SystemError("cannot read " + path);
    return file;
}

}  // namespace

std::string sha256(const std::string& path) {
    auto file = open_to_read(path);
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                          EVP_MD_CTX_free);
    std::vector<char> piece(1 << 20);
    bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
    while (good && file) {
        file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        good = EVP_DigestUpdate(context.get(), piece.data(),
                                static_cast<std::size_t>(file.gcount())) == 1;
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (!good || file.bad() || EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1)
        throw SystemError("cannot compute the SHA-256 of " + path);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest.at(i));
    return text;
}

bool same_bytes(const std::string& one, const std::string& other) {
    auto first = open_to_read(one);
    auto second = open_to_read(other);
    using Bytes = std::istreambuf_iterator<char>;
    return std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

std::int64_t field_step(const std::string& path) {
    auto file = open_to_read(path);
    std::array<std::int64_t, 4> header{};  // magic, rows, cols, step
    file.read(reinterpret_cast<char*>(header.data()), sizeof header);
    if (!file) throw SystemError(path + " is too short for a field");
    return header[3];
}

}  // namespace ductile::cli::demo
