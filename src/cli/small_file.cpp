#include "cli/small_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ductile/error.hpp"

namespace ductile::cli {

std::string read_small_file(const std::string& path, const std::string& what) {
    constexpr std::size_t limit = std::size_t{1} << 20;
    const auto cannot = "cannot read the " + what + " in " + path + ": ";
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw InputError(cannot + "it is a directory");
    std::ifstream in(path, std::ios::binary);
    if (!in) throw InputError(cannot + std::strerror(errno));
    std::string text(limit + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (in.bad()) throw InputError(cannot + std::strerror(errno));
    if (text.size() > limit) throw InputError(cannot + "it is larger than 1 MiB");
    return text;
}

void write_small_file(const std::string& path, const std::string& text) {
    using std::filesystem::file_type;
    std::error_code error;
    // A symbolic link stays, and the file that it names is replaced.
    const auto canonical = std::filesystem::weakly_canonical(path, error);
    const auto file = error ? path : canonical.string();
    const auto type = std::filesystem::status(file, error).type();
    const bool is_plain = type == file_type::not_found || type == file_type::regular;
    const auto written = is_plain ? file + "." + std::to_string(::getpid()) + ".part" : file;
    error.clear();
    std::ofstream out(written, is_plain ? std::ios::trunc : std::ios::app);
    out << text;
    out.close();
    if (out && is_plain) std::filesystem::rename(written, file, error);
    if (out && !error) return;
    std::error_code ignored;
    if (is_plain) std::filesystem::remove(written, ignored);
    throw SystemError("cannot write " + path + (error ? ": " + error.message() : ""));
}

}  // namespace ductile::cli
