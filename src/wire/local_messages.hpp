// What processes of a host say to its agent, over the Unix socket there: ranks, their
// shims, and what mpiexec runs to reach another host.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "wire/from_rank_messages.hpp"
#include "wire/group_fields.hpp"

namespace ductile::wire {

/// With this message travel two file descriptors (SCM_RIGHTS): the read ends of the rank's stdout
/// and stderr.
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
    int pid = 0;  ///< of the rank
    template <class V>
    void visit(V& v) {
        v.number("pid", pid, 1, INT32_MAX);
    }
};
/// The rank's wait status: its exit code, or 128 + signal. 127: the program could not be executed
/// (`why`).
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
/// Agent -> shim: with it travels one file descriptor, the rank's standard input.
struct ShimWelcome {
    static constexpr std::string_view name = "shim_welcome";
    std::vector<std::string> program;  ///< and its arguments
    template <class V>
    void visit(V& v) {
        v.texts("program", program, limits::environment_entries, limits::environment_bytes);
    }
};

/// remote-launch: mpiexec of this group wants its proxy (`argv`) to run on another host.
struct RemoteLaunch {
    static constexpr std::string_view name = "remote_launch";
    GroupId group;
    std::string host;  ///< as mpiexec was told its name
    std::vector<std::string> argv;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.text("host", host, limits::name_bytes);
        v.texts("argv", argv, limits::proxy_arguments, limits::text_bytes);
    }
};
/// Agent -> remote-launch: that proxy has ended, or (1) there is none.
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
/// What a shim says after its hello.
using FromShim = std::variant<ShimStarted, ShimEnded>;
using ToShim = std::variant<ShimWelcome>;
using ToRemoteLaunch = std::variant<RemoteLaunchEnded>;

}  // namespace ductile::wire
