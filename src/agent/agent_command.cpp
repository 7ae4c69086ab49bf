#include "agent/agent_command.hpp"

#include <fcntl.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "agent/agent.hpp"
#include "agent/runtime_directory.hpp"
#include "agent/stale_files.hpp"
#include "os/descriptors.hpp"
#include "os/hide_memory.hpp"
#include "os/signals.hpp"
#include "os/stray_processes.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_log_bytes = 4u << 20;
constexpr int bad_bootstrap = 2;
constexpr auto sweep_limit = std::chrono::seconds(2);

// If DUCTILE_LOG names a directory, the agent writes a log there, for debugging.
Agent::Log make_log(const std::string& marker) {
    const char* directory = std::getenv("DUCTILE_LOG");
    if (directory == nullptr || *directory == '\0') return [](const std::string&) {};
    try {
        auto logger = spdlog::rotating_logger_mt(
            "agent", std::string(directory) + "/agent-" + marker + ".log", max_log_bytes, 1);
        logger->flush_on(spdlog::level::info);
        return [logger](const std::string& line) { logger->info(line); };
    } catch (const spdlog::spdlog_ex& error) {
        std::fprintf(stderr, "ductile agent: cannot log in %s: %s\n", directory, error.what());
        return [](const std::string&) {};
    }
}

void become_daemon(int input) {
    ::setsid();  // fails if this process leads a process group already, which is enough
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    os::unblock_signals();
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
    // Slurm may send these to all processes of a job, and thus to this one, too.
    os::ignore_program_signals();
    // A write beyond the limit of `ulimit -f` then fails with an error, as on a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    ::umask(077);  // for the agent's own files; the orders hold the umask of the ranks
    const auto nothing = os::open_nothing(O_RDONLY);
    ::dup2(nothing.get(), input);
}

}  // namespace

int run_agent(int input) {
    os::hide_memory();
    Bootstrap bootstrap;
    try {
        bootstrap = parse_bootstrap(read_line(input));
    } catch (const InputError& error) {
        std::fprintf(stderr, "ductile agent: %s\n", error.what());
        return bad_bootstrap;
    }
    try {
        become_daemon(input);
        asio::io_context io(1);
        const auto log = make_log(bootstrap.marker());
        return Agent(io, std::move(bootstrap), log).run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ductile agent: %s\n", error.what());
        return 1;
    }
}

// Needs no event loop, because this process does nothing else.
int sweep(const std::string& marker) {
    const bool any_generation = std::count(marker.begin(), marker.end(), '.') == 1;
    const auto agent = any_generation ? marker + "." : marker;
    os::ProcessSelector whose;
    whose.mark = "DUCTILE_AGENT=" + agent;
    StaleFiles stale_files("/dev/null");
    const auto killed = os::kill_until_none(
        [&] {
            auto left = os::find_processes(whose);
            stale_files.note_all(left);
            return left;
        },
        sweep_limit);
    stale_files.remove();
    // Without a generation, a new agent of this host may be making its directory now. So
    // directories that are younger than 60 s stay.
    remove_dead_directories(std::chrono::seconds(any_generation ? 60 : 0), agent);
    std::printf("%zu\n", killed.size());
    return 0;
}

}  // namespace ductile::agent
