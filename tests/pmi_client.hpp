// For programs of tests that speak PMI-1 to the process manager that PMI_PORT and PMI_ID name.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace pmi_client {

/// The address in PMI_PORT, "127.0.0.1:40123". nullopt: there is none.
inline std::optional<sockaddr_in> manager() {
    const char* const text = std::getenv("PMI_PORT");
    const std::string_view port = text == nullptr ? "" : text;
    const auto colon = port.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(text + colon + 1)));
    return address;
}

/// Whether this descriptor is a connection to the process manager: that of this process's MPI.
inline bool is_connected_to_manager(int file) {
    sockaddr_in peer{};
    socklen_t size = sizeof(peer);
    const auto wanted = manager();
    return wanted && ::getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
           peer.sin_family == AF_INET && peer.sin_port == wanted->sin_port &&
           peer.sin_addr.s_addr == wanted->sin_addr.s_addr;
}

/// The connection of this process's MPI; -1: there is none.
inline int socket_of_mpi() {
    constexpr int most = 1024;
    for (int file = 0; file < most; ++file)
        if (is_connected_to_manager(file)) return file;
    return -1;
}

/// One line, without its newline; what has come of it if the connection ends.
inline std::string read_line(int file) {
    std::string line;
    for (char c = 0; ::read(file, &c, 1) == 1 && c != '\n';) line += c;
    return line;
}

inline bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const auto n = ::write(file, text.data(), text.size());
        if (n <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// Connects to this process manager and says nothing. -1: it cannot.
inline int connect_to(const sockaddr_in& address) {
    const int file = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
        return file;
    ::close(file);
    return -1;
}

/// Connects as MPI does, up to `init`. -1: the process manager does not answer.
inline int connect() {
    const auto address = manager();
    const char* const id = std::getenv("PMI_ID");
    const int file = address && id != nullptr ? connect_to(*address) : -1;
    if (file < 0 || !write_all(file, "cmd=initack pmiid=" + std::string(id) + "\n")) return -1;
    for (const auto* line : {"cmd=initack rc=0", "cmd=set size=", "cmd=set rank=", "cmd=set debug"})
        if (!read_line(file).starts_with(line)) return -1;
    return file;
}

}  // namespace pmi_client
