#include "cli/doctor/served_run.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "agent/group_environment.hpp"
#include "agent/pmi_environment.hpp"
#include "core/overloaded.hpp"
#include "ductile/error.hpp"
#include "os/spawn.hpp"
#include "pmi/port.hpp"
#include "rms/self.hpp"

namespace ductile::cli {
namespace {

constexpr int cannot_execute = 127;

/// Reports an error in the format of the probes.
void complain(WorldMember who, const std::string& what) {
    std::fprintf(stderr, "probe: rank %d%s %s\n", who.rank.value,
                 who.world.value == 0 ? "" : " of a spawned world", what.c_str());
}

}  // namespace

int ServedRun::run(int ranks, const std::vector<std::string>& program) {
    const auto first = worlds_.add(agent::new_world_name(), ranks);
    start_world(first, {{ranks, program.at(0), {program.begin() + 1, program.end()}, {}}}, false);
    wait_for_ends();
    while (!is_over()) io_.run_one();

    int spoken = 0;
    for (int rank = 0; rank < ranks; ++rank)
        spoken += worlds_.has_spoken({first, pmi::WorldRank{rank}}) ? 1 : 0;
    std::printf("fact pmi_init %d\n", spoken);
    return code_;
}

void ServedRun::start_world(WorldNumber number, const std::vector<pmi::SpawnCommand>& commands,
                            bool spawned) {
    int ranks = 0;
    for (const auto& command : commands) ranks += command.ranks;
    processes_.emplace_back(static_cast<std::size_t>(ranks));
    int rank = 0;
    for (const auto& command : commands) {
        std::vector<std::string> program{command.program};
        program.insert(program.end(), command.arguments.begin(), command.arguments.end());
        for (int i = 0; i < command.ranks; ++i) {
            const WorldMember who{number, pmi::WorldRank{rank++}};
            try {
                start_rank(who, program, ranks, spawned);
            } catch (const Error& error) {
                complain(who, error.what());
                ended(who, cannot_execute);
            }
        }
    }
}

void ServedRun::start_rank(WorldMember who, const std::vector<std::string>& program, int ranks,
                           bool spawned) {
    const bool connects = rms::has_ipv4_address();  // not every MPI needs one
    std::optional<agent::PmiPort::Inherited> inherited;
    if (!connects) inherited = pmi_port_.make_inherited();
    process(who).pmi_id = pmi_port_.add(
        [this, who, ranks](const agent::PmiProgram& mpi) { take_program(who, ranks, mpi); });
    os::Spawn what;
    what.argv = program;
    what.environment = agent::group_environment(
        os::own_environment(),
        agent::PmiEnvironment().environment({{core::GroupId{0}, core::Rank{who.rank.value}},
                                             ranks,
                                             who.rank.value,
                                             ranks,
                                             spawned,
                                             connects ? pmi_port_.address() : "",
                                             process(who).pmi_id}));
    what.input = STDIN_FILENO;
    what.output = STDOUT_FILENO;
    what.error = STDERR_FILENO;
    if (inherited) {
        what.extra = inherited->theirs.get();
        take(who, inherited->ours);
    }
    process(who).pid = os::spawn(what);
}

// A probe is one program a rank.
void ServedRun::take_program(WorldMember who, int ranks, const agent::PmiProgram& program) {
    if (process(who).pmi) return program.socket->close();
    take(who, program.socket);
    program.socket->send(pmi::greeting(ranks, who.rank.value));
}

void ServedRun::take(WorldMember who, std::shared_ptr<agent::PmiSocket> pmi) {
    auto& mine = process(who);
    mine.pmi = std::move(pmi);
    mine.pmi->hand_over(
        [this, who](const std::vector<std::string>& lines) { on_lines(who, lines); });
}

void ServedRun::on_lines(WorldMember from, const std::vector<std::string>& lines) {
    LocalOutbox effects;
    worlds_.on_lines(from, lines, effects);
    carry_out(effects);
}

void ServedRun::carry_out(const LocalOutbox& effects) {
    for (const auto& effect : effects)
        std::visit(core::Overloaded{
                       [&](const SendToRank& one) {
                           if (const auto& pmi = process(one.to).pmi; pmi && !pmi->send(one.line))
                               kill_rank(one.to);
                       },
                       [&](const SpawnWanted& one) {
                           start_world(worlds_.add_spawned(agent::new_world_name(), one),
                                       one.request.commands, true);
                       },
                       [&](const SayOfRank& one) { complain(one.which, one.what); },
                       [&](const KillRank& one) {
                           complain(one.which, one.why + " (by PMI-1)");
                           kill_rank(one.which);
                       },
                       [&](const KillWorld& one) { kill_world(one.world); },
                   },
                   effect);
}

void ServedRun::kill_rank(WorldMember who) {
    if (const auto pid = process(who).pid; pid != 0) ::kill(pid, SIGKILL);
}

void ServedRun::kill_world(WorldNumber number) {
    for (const auto& one : processes_.at(number.value))
        if (one.pid != 0) ::kill(one.pid, SIGKILL);
}

void ServedRun::wait_for_ends() {
    children_end_.async_wait([this](const asio::error_code& error, int /*signal*/) {
        if (error) return;
        reap();
        wait_for_ends();
    });
}

void ServedRun::reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        for (std::size_t w = 0; w < processes_.size(); ++w) {
            const auto& ranks = processes_[w];
            const auto found = std::ranges::find(ranks, pid, &Process::pid);
            if (found == ranks.end()) continue;
            ended({WorldNumber{w}, pmi::WorldRank{static_cast<int>(found - ranks.begin())}}, code);
            break;
        }
    }
}

void ServedRun::ended(WorldMember who, int code) {
    // The process's last lines can start a world, which moves the elements of processes_. So no
    // reference to an element is valid after drain().
    process(who).pid = 0;
    pmi_port_.drain();
    pmi_port_.remove(process(who).pmi_id);
    if (const auto pmi = process(who).pmi) {
        pmi->drain();
        pmi->close();
    }
    if (code == 0 && !worlds_.has_spoken(who)) {
        complain(who, "has ended and has not spoken PMI-1");
        code = 1;
    }
    if (code != 0) failed(code);
    LocalOutbox effects;
    worlds_.on_rank_ended(who, effects);
    carry_out(effects);
}

void ServedRun::failed(int code) {
    if (code_ != 0) return;
    code_ = code;
    too_late_.expires_after(others_go_on);
    too_late_.async_wait([this](const asio::error_code& error) {
        if (error) return;
        for (std::size_t w = 0; w < processes_.size(); ++w) kill_world(WorldNumber{w});
    });
}

bool ServedRun::is_over() const {
    return std::ranges::all_of(processes_, [](const Ranks& ranks) {
        return std::ranges::all_of(ranks, [](const Process& one) { return one.pid == 0; });
    });
}

}  // namespace ductile::cli
