#include "agent/group_run.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "agent/group_environment.hpp"

namespace ductile::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto world_start_limit = std::chrono::seconds(60);
constexpr auto ends_grace = std::chrono::milliseconds(500);
constexpr std::size_t max_waiting = 1024;  // messages for a rank that has not said hello

wire::Fd open_process(int pid) {
    return wire::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace

GroupRun::GroupRun(Surroundings& around, wire::StartRun what)
    : around_(around),
      what_(std::move(what)),
      slots_(static_cast<std::size_t>(what_.ranks)),
      remote_(what_.group, what_.world),
      litter_(around.litter_path),
      look_timer_(around.io),
      kill_timer_(around.io),
      start_timer_(around.io),
      unjoined_timer_(around.io),
      member_(std::get<wire::RankWelcome>(what_.welcome).role != wire::Role::newcomer) {}

void GroupRun::start(const wire::AgentWelcome& welcome) {
    orphan_limit_ = std::chrono::duration<double>(welcome.orphan_limit_s);
    keeps_daemons_ = welcome.keeps_daemons;
    if (awaits_proxy()) {
        if (what_.spawned) look_at_program(welcome);
        program_ = welcome.program;
        return expect_ranks();
    }
    auto argv = welcome.launcher;
    const auto ranks = rank_arguments(what_, welcome);
    argv.insert(argv.end(), ranks.begin(), ranks.end());
    // The starter gets the program from its agent: words such as ":" mean something to mpiexec.
    argv.push_back(around_.starter);
    program_ = welcome.program;
    launch(welcome, std::move(argv));
    if (!what_.world.empty()) expect_ranks();
}

void GroupRun::start_proxy(const wire::AgentWelcome& welcome,
                           const std::vector<std::string>& argv) {
    if (!awaits_proxy() || launcher_ || refusing_ || killing_ || ended_)
        throw InputError("order refused: group " + std::to_string(id().value) +
                         " awaits no proxy here");
    launch(welcome, argv);
}

// MPI_Comm_spawn of a program that is not there never returns: this is known before it is called.
void GroupRun::look_at_program(const wire::AgentWelcome& welcome) const {
    if (::access(welcome.directory.c_str(), X_OK) != 0)
        throw InputError("cannot use the directory " + welcome.directory + ": " +
                         std::strerror(errno));
    const auto path = std::filesystem::path(welcome.directory) / welcome.program.at(0);
    if (::access(path.c_str(), X_OK) != 0)
        throw InputError("cannot execute " + path.string() + ": " + std::strerror(errno));
}

// mpiexec, its proxies and the network between hosts are all in the way of a rank that starts as
// part of a world; without a word from it nobody else would notice.
void GroupRun::expect_ranks() {
    start_timer_.expires_after(world_start_limit);
    start_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = weak.lock();
        if (error || !self || self->ended_) return;
        const auto has_come = [](const Slot& mine) { return mine.starter != nullptr; };
        if (std::ranges::all_of(self->slots_, has_come)) return;
        self->late_ = true;
        self->kill();
    });
}

// Two daemons of a launcher that share a folder clean up each other's files. It ends with the
// agent's own.
std::string GroupRun::folder_of_its_own() const {
    const auto path = std::filesystem::path(around_.socket_path).parent_path() /
                      ("g" + std::to_string(id().value));
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (error)
        throw SystemError("cannot make the folder " + path.string() + ": " + error.message());
    return path.string();
}

void GroupRun::launch(const wire::AgentWelcome& welcome, std::vector<std::string> argv) {
    std::vector<std::string> ours{"DUCTILE_AGENT=" + around_.marker,
                                  "DUCTILE_GROUP=" + std::to_string(id().value),
                                  "DUCTILE_JOB=" + around_.job,
                                  "DUCTILE_HOST=" + std::to_string(around_.host.value),
                                  "DUCTILE_SOCKET=" + around_.socket_path,
                                  "DUCTILE_STARTER=" + around_.starter};
    if (!welcome.folder_variables.empty()) {
        const auto folder = folder_of_its_own();
        for (const auto& variable : welcome.folder_variables)
            ours.push_back(variable + "=" + folder);
    }
    Spawn spawn;
    spawn.argv = std::move(argv);
    spawn.environment = group_environment(welcome.environment, ours);
    spawn.directory = welcome.directory;
    spawn.umask = welcome.umask;
    spawn.resource_limits = welcome.resource_limits;
    launcher_ = LauncherRun::start(
        around_.io, std::move(spawn), [weak = weak_from_this()](const std::string& line) {
            const auto self = weak.lock();
            if (!self || self->killing_ || self->ended_ || is_launcher_noise(line)) return;
            self->around_.tell(wire::Notice{line});
        });
}

GroupRun::Slot& GroupRun::slot(core::Rank rank, const char* who) {
    const int index = rank.value - what_.first_rank;
    if (index < 0 || index >= what_.ranks)
        throw InputError(std::string(who) + " refused: group " + std::to_string(id().value) +
                         " has no rank " + std::to_string(rank.value) + " here");
    return slots_[static_cast<std::size_t>(index)];
}

void GroupRun::adopt_starter(const std::shared_ptr<LocalPeer>& peer,
                             const wire::StarterHello& hello, std::vector<wire::Fd> pipes) {
    auto& mine = slot(hello.rank, "starter");
    const bool ending = killing_ || refusing_;
    if (mine.starter || ending || pipes.size() != 2)
        throw InputError("starter refused: rank " + std::to_string(hello.rank.value) +
                         " of group " + std::to_string(id().value) +
                         (mine.starter ? " is taken"
                          : ending     ? " is being ended"
                                       : " brings no pipes"));
    mine.starter = peer;
    around_.output.add(id(), hello.rank, 1, std::move(pipes[0]));
    around_.output.add(id(), hello.rank, 2, std::move(pipes[1]));
    peer->on_message = [self = shared_from_this(), rank = hello.rank](
                           const wire::Json& json, const std::vector<wire::Fd>&) {
        self->on_starter(rank, json);
    };
    peer->on_closed = [self = shared_from_this(), rank = hello.rank](const std::string&) {
        self->rank_ended(rank, {128 + SIGKILL, SIGKILL, "its starter was killed"});
        self->look();
    };
    const bool input = what_.input && hello.rank.value == 0;
    peer->send(wire::to_frame(wire::ToStarter{wire::StarterWelcome{program_}}),
               input ? around_.input.open() : wire::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
}

void GroupRun::on_starter(core::Rank rank, const wire::Json& json) {
    using FromStarter = std::variant<wire::StarterStarted, wire::StarterEnded>;
    auto& mine = slot(rank, "starter");
    std::visit(
        wire::Overloaded{[&](const wire::StarterStarted& message) {
                             mine.started = true;
                             mine.process = open_process(message.pid);
                             for (const int number : std::exchange(mine.signals, {}))
                                 mine.signal(number);
                         },
                         [&](const wire::StarterEnded& message) { rank_ended(rank, message); }},
        wire::decode<FromStarter>(json));
}

void GroupRun::adopt_rank(const std::shared_ptr<LocalPeer>& peer, const wire::RankHello& hello) {
    auto& mine = slot(hello.rank, "rank");
    if (mine.hello || mine.ended)
        throw InputError("rank refused: rank " + std::to_string(hello.rank.value) + " of group " +
                         std::to_string(id().value) + (mine.ended ? " has ended" : " is taken"));
    mine.hello = true;
    mine.rank = peer;
    peer->on_message = [self = shared_from_this(), rank = hello.rank](
                           const wire::Json& json, const std::vector<wire::Fd>&) {
        self->on_rank(rank, json);
    };
    peer->on_closed = [](const std::string&) {};
    peer->send(wire::to_frame(wire::ToRank{std::get<wire::RankWelcome>(what_.welcome)}));
    for (const auto& frame : mine.waiting) peer->send(frame);
    mine.waiting.clear();
    around_.tell(wire::FromRanks{id(), hello.rank, hello});
}

void GroupRun::adopt_companion(const std::shared_ptr<LocalPeer>& peer,
                               const wire::RemoteLaunch& what) {
    peer->on_message = nullptr;
    peer->on_closed = nullptr;
    try {
        around_.tell(remote_.ask(peer, what));
    } catch (const InputError& error) {
        // mpiexec may end without passing on what its companion says.
        around_.tell(wire::Notice{error.what()});
        answer_companion(peer, 1);
    }
}

void GroupRun::proxy_ended(const wire::ProxyPart& part, int code) {
    remote_.ended(part, code);
    consider_launcher();
}

void GroupRun::set_brokerless(bool on) {
    if (std::exchange(brokerless_, on) != on) give_newcomers_time();
    consider_launcher();
}

// A switch that is under way may still make members of them.
void GroupRun::give_newcomers_time() {
    unjoined_timer_.cancel();
    if (!brokerless_ || member_) return;
    unjoined_timer_.expires_after(std::chrono::duration_cast<Clock::duration>(orphan_limit_));
    unjoined_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = weak.lock();
        if (error || !self || self->member_ || self->ended_) return;
        self->around_.log("newcomers of group " + std::to_string(self->id().value) +
                          " are ended: the broker of their resize is gone");
        self->end_as_told();
    });
}

// Once all ranks have ended mpiexec should end soon. It waits for its proxies, and for their
// companions, which without a broker nobody would let go.
void GroupRun::consider_launcher() {
    if (proxy_stays()) {
        if (!no_rank_left()) return;
        grace_end_ = Clock::now() + ends_grace;
        return look();
    }
    if (!all_ranks_ended()) return;
    if (brokerless_) {
        left_alone_ = left_alone_ || remote_.carries();
        remote_.release();
    }
    if (remote_.all_ended() && !is_needed()) kill_after(launcher_patience);
}

void GroupRun::on_rank(core::Rank rank, const wire::Json& json) {
    auto message = wire::decode<wire::FromRank>(json);
    if (std::holds_alternative<wire::RankHello>(message))
        throw InputError("rank refused: a second hello");
    if (std::holds_alternative<wire::Goodbye>(message)) {
        slot(rank, "rank").goodbye = true;
        // It waits in MPI_Finalize for those that are parked.
        to_ranks(core::Rank{-1}, wire::MayEnd{});
    }
    member_ = member_ || std::holds_alternative<wire::Became>(message);
    if (const auto* started = std::get_if<wire::Spawned>(&message))
        slot(rank, "rank").spawns.erase(started->group);
    if (std::holds_alternative<wire::MpiRuns>(message)) {
        auto& mine = slot(rank, "rank");
        mine.noted = true;
        return litter_.note(mine.rank->pid());
    }
    around_.tell(wire::FromRanks{id(), rank, std::move(message)});
}

// Once for each rank, from its starter's word or from the starter's death. What the rank said last
// on its own socket comes first.
void GroupRun::rank_ended(core::Rank rank, const wire::StarterEnded& end) {
    auto& mine = slot(rank, "starter");
    if (mine.ended) return;
    mine.ended = true;
    if (mine.rank) mine.rank->drain();
    mine.signal(SIGKILL);
    mine.process.reset();
    mine.code = end.code;
    mine.signal_number = end.signal;
    mine.why = end.why;
    if (!mine.goodbye && (mine.hello || end.code != 0)) failed_ = true;
    around_.tell(
        wire::RankEnded{id(), rank, end.code, end.signal, mine.hello, mine.goodbye, end.why});
    if (mine.rank) mine.rank->close("its process has ended");
    consider_launcher();
}

wire::GroupStock GroupRun::stock() const {
    wire::GroupStock stock{id(), what_.first_rank, {}, member_, dismissed_, ended_};
    for (const auto& mine : slots_)
        stock.ranks.push_back(
            {mine.hello, mine.goodbye, mine.ended, mine.code, mine.signal_number, mine.why});
    return stock;
}

void GroupRun::to_ranks(core::Rank rank, const wire::ToRank& message) {
    const auto frame = wire::to_frame(message);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (rank.value >= 0 && rank.value != what_.first_rank + static_cast<int>(i)) continue;
        auto& mine = slots_[i];
        if (const auto* order = std::get_if<wire::SpawnGroup>(&message))
            mine.spawns.insert(order->group);
        if (mine.rank)
            mine.rank->send(frame);
        else if (!mine.ended && mine.waiting.size() < max_waiting)
            mine.waiting.push_back(frame);
    }
}

bool GroupRun::spawns() const {
    return member_ && std::ranges::any_of(slots_, [](const Slot& mine) {
               return !mine.ended && !mine.spawns.empty();
           });
}

void GroupRun::signal_ranks(int number) {
    for (auto& mine : slots_) {
        if (mine.started)
            mine.signal(number);
        else if (mine.starter && !mine.ended && mine.signals.size() < max_waiting)
            mine.signals.push_back(number);
    }
}

}  // namespace ductile::agent
