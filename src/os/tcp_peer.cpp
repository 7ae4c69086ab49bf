#include "os/tcp_peer.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <deque>
#include <filesystem>
#include <sstream>
#include <string>

#include "os/fd.hpp"
#include "os/proc.hpp"

namespace ductile::os {

namespace {

constexpr std::size_t most_processes = 4096;  // that holder_of() looks at

/// As the kernel writes it: the address as a number in memory order, then the port.
std::string in_table(const sockaddr_in& address) {
    char text[16];
    std::snprintf(text, sizeof(text), "%08X:%04X", static_cast<unsigned>(address.sin_addr.s_addr),
                  static_cast<unsigned>(ntohs(address.sin_port)));
    return text;
}

/// Asks the kernel for one connected socket: sock_diag(7).
std::optional<TcpPeer> ask_kernel(const sockaddr_in& of, const sockaddr_in& to) {
    struct {
        nlmsghdr header{};
        inet_diag_req_v2 what{};
    } question;
    question.header.nlmsg_len = sizeof(question);
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST;
    question.what.sdiag_family = AF_INET;
    question.what.sdiag_protocol = IPPROTO_TCP;
    question.what.idiag_states = ~0U;
    auto& id = question.what.id;
    id.idiag_sport = of.sin_port;
    id.idiag_dport = to.sin_port;
    id.idiag_src[0] = of.sin_addr.s_addr;
    id.idiag_dst[0] = to.sin_addr.s_addr;
    id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    const Fd kernel(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (::send(kernel.get(), &question, sizeof(question), 0) != sizeof(question))
        return std::nullopt;
    struct {
        nlmsghdr header{};
        inet_diag_msg what{};
    } answer;
    // The kernel has answered before send() returns.
    const auto n = ::recv(kernel.get(), &answer, sizeof(answer), MSG_DONTWAIT);
    const bool is_whole = n == sizeof(answer) && answer.header.nlmsg_type == SOCK_DIAG_BY_FAMILY;
    if (!is_whole || answer.what.idiag_state != TCP_ESTABLISHED || answer.what.idiag_inode == 0)
        return std::nullopt;
    return TcpPeer{answer.what.idiag_uid, answer.what.idiag_inode};
}

bool holds(pid_t pid, const std::string& link) {
    std::error_code error;
    const auto folder = "/proc/" + std::to_string(pid) + "/fd";
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code closed;
        if (std::filesystem::read_symlink(entry->path(), closed) == link) return true;
    }
    return false;
}

std::deque<pid_t> children_of(pid_t pid) {
    std::deque<pid_t> children;
    const auto tasks = "/proc/" + std::to_string(pid) + "/task";
    for (const pid_t task : pids_in(tasks)) {
        const auto file = "task/" + std::to_string(task) + "/children";
        std::istringstream text(read_proc(pid, file.c_str()));
        for (pid_t child = 0; text >> child;) children.push_back(child);
    }
    return children;
}

}  // namespace

std::optional<TcpPeer> tcp_peer_of(int socket) {
    sockaddr_in ours{}, theirs{};
    socklen_t our_size = sizeof(ours), their_size = sizeof(theirs);
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &our_size) != 0 ||
        ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &their_size) != 0 ||
        ours.sin_family != AF_INET)
        return std::nullopt;
    // The table is long after many connections, and may lack a line while others come and go. But
    // not every kernel answers the question.
    const auto found = ask_kernel(theirs, ours);
    return found ? found : find_tcp_peer(read_proc(::getpid(), "net/tcp"), theirs, ours);
}

// "  1: 0100007F:A1B2 0100007F:C3D4 01 00000000:00000000 00:00000000 00000000  1000  0 56789 1 ..."
std::optional<TcpPeer> find_tcp_peer(std::string_view table, const sockaddr_in& of,
                                     const sockaddr_in& to) {
    constexpr const char* connected = "01";
    const auto wanted = " " + in_table(of) + " " + in_table(to) + " " + connected + " ";
    const auto at = table.find(wanted);
    if (at == std::string_view::npos) return std::nullopt;
    const auto rest = table.substr(at + wanted.size());
    std::istringstream fields{std::string(rest.substr(0, rest.find('\n')))};
    std::string queues, timer, retransmissions, timeout;
    TcpPeer peer;
    if (!(fields >> queues >> timer >> retransmissions >> peer.uid >> timeout >> peer.inode) ||
        peer.inode == 0)
        return std::nullopt;
    return peer;
}

std::optional<pid_t> holder_of(std::uint64_t inode, pid_t root) {
    const auto link = "socket:[" + std::to_string(inode) + "]";
    std::deque<pid_t> next{root};
    for (std::size_t seen = 0; !next.empty() && seen < most_processes; ++seen) {
        const pid_t pid = next.front();
        next.pop_front();
        if (holds(pid, link)) return pid;
        for (const pid_t child : children_of(pid)) next.push_back(child);
    }
    return std::nullopt;
}

bool is_descendant(pid_t process, pid_t ancestor) {
    for (std::size_t steps = 0; process > 1 && steps < most_processes; ++steps) {
        const auto its = read_process(process);
        if (!its) return false;
        process = its->parent;
        if (process == ancestor) return true;
    }
    return false;
}

}  // namespace ductile::os
