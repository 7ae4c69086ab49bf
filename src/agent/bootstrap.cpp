#include "agent/bootstrap.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ductile/error.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_line_bytes = 64u << 20;
constexpr std::size_t max_job_bytes = 48;  // part of a Unix socket's path

}  // namespace

bool is_job_name(const std::string& name) {
    const auto allowed = [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    };
    return !name.empty() && name.size() <= max_job_bytes && std::ranges::all_of(name, allowed);
}

std::string Bootstrap::marker() const {
    return identity.job + "." + std::to_string(identity.host.value) + "." +
           std::to_string(identity.generation.value);
}

std::string read_line(int fd) {
    std::string line;
    char buffer[16384];
    for (;;) {
        const ssize_t n = ::read(fd, buffer, sizeof(buffer));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            throw InputError(std::string("bootstrap refused: cannot read standard input: ") +
                             std::strerror(errno));
        line.append(buffer, static_cast<std::size_t>(n));
        const auto end = line.find('\n');
        if (end != std::string::npos) return line.substr(0, end);
        if (n == 0 && line.empty())
            throw InputError(
                "bootstrap refused: nothing came on standard input (an agent is started by "
                "`ductile run`)");
        if (n == 0) return line;
        if (line.size() > max_line_bytes)
            throw InputError("bootstrap refused: the line is longer than 64 MiB");
    }
}

}  // namespace ductile::agent
