// The process at the other end of a TCP connection, if both ends are on this machine.
#pragma once

#include <netinet/in.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace ductile::os {

/// A socket, as the kernel lists it.
struct TcpPeer {
    uid_t uid = static_cast<uid_t>(-1);
    std::uint64_t inode = 0;
    bool operator==(const TcpPeer&) const = default;
};

/// The peer of an IPv4 connection. nullopt: it is on another machine or in another network
/// namespace, or has closed its socket.
[[nodiscard]] std::optional<TcpPeer> tcp_peer_of(int socket);

/// Looks up the connected socket with the address `of` and the peer `to` in the text of
/// /proc/net/tcp.
[[nodiscard]] std::optional<TcpPeer> find_tcp_peer(std::string_view table, const sockaddr_in& of,
                                                   const sockaddr_in& to);

/// Which of `root` and its descendants has this socket open; the first one that is found, from
/// `root` down. nullopt: none of those whose descriptors this user may see.
[[nodiscard]] std::optional<pid_t> holder_of(std::uint64_t inode, pid_t root);

/// Whether `process` was started by `ancestor`, or by a process that `ancestor` started, and so on.
/// False if a process in between has ended.
[[nodiscard]] bool is_descendant(pid_t process, pid_t ancestor);

}  // namespace ductile::os
