#include "cluster/system_call.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "ductile/error.hpp"

namespace ductile::cluster {

void throw_errno(const std::string& attempt) {
    throw SystemError(fmt::format("cannot {} ({})", attempt, std::strerror(errno)));
}

int check(int result, const char* attempt) {
    if (result < 0) throw_errno(attempt);
    return result;
}

int Deadline::left_ms() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now())
            .count();
    return left > 0 ? static_cast<int>(left) : 0;
}

bool wait_readable(int descriptor, int left_ms) {
    const Deadline deadline{std::chrono::milliseconds{left_ms < 0 ? 0 : left_ms}};
    while (true) {
        pollfd watched{descriptor, POLLIN, 0};
        const int ready = ::poll(&watched, 1, left_ms < 0 ? -1 : deadline.left_ms());
        if (ready > 0) return true;
        if (ready == 0) return false;
        if (errno != EINTR) throw_errno("wait for a descriptor");
    }
}

std::string read_file(const std::string& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file) return {};
    std::string text;
    std::array<char, 4096> chunk;
    while (true) {
        const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
        if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
        if (got == 0 || (got < 0 && errno != EINTR)) return text;
    }
}

bool write_file(const std::string& path, const std::string& text) {
    const Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (!file) return false;
    return ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace ductile::cluster
