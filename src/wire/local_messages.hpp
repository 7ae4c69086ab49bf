// Messages to an agent from processes of its host, over the Unix socket of the agent: ranks, their
// shims (a shim is the process between a launcher and a rank), and remote-launch, the program that
// mpiexec runs to reach another host.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "wire/from_rank_messages.hpp"
#include "wire/group_fields.hpp"

namespace ductile::wire {

/// Two file descriptors come with this message (SCM_RIGHTS): the read ends of the rank's stdout and
/// stderr.
struct ShimHello {
    static constexpr std::string_view name = "shim_hello";
    GroupId group;
    Rank rank;
    int pid = 0;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.number("pid", pid, 1, INT32_MAX);
    }
};
struct ShimStarted {
    static constexpr std::string_view name = "shim_started";
    int pid = 0;  ///< the rank's
    template <class V>
    void visit(V& v) {
        v.number("pid", pid, 1, INT32_MAX);
    }
};
/// The rank's wait status: its exit code, or 128 + signal. 127: the program could not be executed
/// (`why` has the reason).
struct ShimEnded {
    static constexpr std::string_view name = "shim_ended";
    int code = 0;
    int signal = 0;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.number("code", code, 0, 255), v.number("signal", signal, 0, 128),
            v.text("why", why, limits::text_bytes);
    }
};
/// Agent -> shim: one file descriptor comes with this message, the rank's standard input.
struct ShimWelcome {
    static constexpr std::string_view name = "shim_welcome";
    std::vector<std::string> program;  ///< the program and its arguments
    template <class V>
    void visit(V& v) {
        v.texts("program", program, limits::environment_entries, limits::environment_bytes);
    }
};

/// From remote-launch: the mpiexec of this group wants its proxy (`argv`) to run on another host.
struct RemoteLaunch {
    static constexpr std::string_view name = "remote_launch";
    GroupId group;
    std::string host;  ///< the host's name as mpiexec knows it
    std::vector<std::string> argv;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.text("host", host, limits::name_bytes);
        v.texts("argv", argv, limits::proxy_arguments, limits::text_bytes);
    }
};
/// Agent -> remote-launch: the proxy has ended with `code`. Code 1 also means that there is no
/// proxy.
struct RemoteLaunchEnded {
    static constexpr std::string_view name = "remote_launch_ended";
    int code = 0;
    template <class V>
    void visit(V& v) {
        v.number("code", code, 0, 255);
    }
};

/// The first message of a process.
using FromLocal = std::variant<ShimHello, RankHello, RemoteLaunch>;
/// The messages of a shim after its hello.
using FromShim = std::variant<ShimStarted, ShimEnded>;
using ToShim = std::variant<ShimWelcome>;
using ToRemoteLaunch = std::variant<RemoteLaunchEnded>;

}  // namespace ductile::wire
