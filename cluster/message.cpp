#include "cluster/message.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "ductile/error.hpp"
#include "os/passed_descriptors.hpp"

namespace ductile::cluster {

std::string join(const Words& words) {
    std::string payload;
    for (const auto& word : words) payload.append(word).push_back('\0');
    return payload;
}

Words split(std::string_view payload) {
    if (payload.empty() || payload.back() != '\0')
        throw InputError("a request to a cluster has no end");
    Words words;
    while (!payload.empty()) {
        const auto end = payload.find('\0');
        words.emplace_back(payload.substr(0, end));
        payload.remove_prefix(end + 1);
    }
    return words;
}

void send_frame(int socket, std::string_view payload, std::span<const int> files) {
    if (payload.size() > max_frame_bytes)
        throw InputError("arguments and environment are too long for a cluster's host (4 MiB)");
    timeval limit{10, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const auto length = static_cast<std::uint32_t>(payload.size());
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    bytes.append(payload);

    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const auto rest = std::string_view(bytes).substr(sent);
        const ssize_t got =
            os::send_passing(socket, rest, sent == 0 ? files : std::span<const int>(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw_errno("write to the cluster's socket");
        sent += static_cast<std::size_t>(got);
    }
}

void send_reply(int socket, Reply kind, std::string_view rest) {
    send_frame(socket, std::string(1, static_cast<char>(kind)).append(rest));
}

bool FrameReader::read(int socket) {
    std::array<char, 65536> chunk;
    const ssize_t got = os::receive_passed(socket, chunk, files_);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (files_.size() > max_frame_files)
        throw InputError("a request to a cluster carries too many files");
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    return got > 0;
}

std::optional<std::string> FrameReader::next() {
    std::uint32_t length = 0;
    if (buffer_.size() < sizeof length) return std::nullopt;
    std::memcpy(&length, buffer_.data(), sizeof length);
    if (length > max_frame_bytes) throw InputError("a request to a cluster is longer than 4 MiB");
    if (buffer_.size() < sizeof length + length) return std::nullopt;
    std::string payload = buffer_.substr(sizeof length, length);
    buffer_.erase(0, sizeof length + length);
    return payload;
}

}  // namespace ductile::cluster
