#include "agent/group_run.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "agent/leftovers.hpp"

namespace ductile::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto grace = std::chrono::milliseconds(500);
constexpr auto launcher_patience = std::chrono::seconds(2);
constexpr auto world_start_limit = std::chrono::seconds(60);
constexpr auto between_looks = std::chrono::milliseconds(50);
constexpr std::size_t max_waiting = 1024;  // messages for a rank that has not said hello
constexpr auto between_kills = std::chrono::milliseconds(10);

wire::Fd open_process(int pid) {
    return wire::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

void signal_process(const wire::Fd& process, int number) {
    if (process) ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}

}  // namespace

std::vector<std::string> group_environment(const std::vector<std::string>& welcome,
                                           const std::vector<std::string>& ours) {
    std::vector<std::string> result = ours;
    for (const auto& entry : welcome) {
        const auto name = entry.substr(0, entry.find('=') + 1);
        const bool replaced = std::ranges::any_of(
            ours, [&name](const std::string& mine) { return mine.starts_with(name); });
        if (!replaced) result.push_back(entry);
    }
    return result;
}

GroupRun::GroupRun(Surroundings& around, wire::StartRun what)
    : around_(around),
      what_(std::move(what)),
      slots_(static_cast<std::size_t>(what_.ranks)),
      remote_(what_.world),
      look_timer_(around.io),
      kill_timer_(around.io),
      start_timer_(around.io) {}

void GroupRun::start(const wire::AgentWelcome& welcome) {
    if (what_.first_rank > 0) return expect_ranks();
    auto argv = welcome.launcher;
    const auto ranks = rank_arguments(what_);
    argv.insert(argv.end(), ranks.begin(), ranks.end());
    argv.push_back(around_.starter);
    argv.insert(argv.end(), welcome.program.begin(), welcome.program.end());
    launch(welcome, std::move(argv));
    if (!what_.world.empty()) expect_ranks();
}

void GroupRun::start_proxy(const wire::AgentWelcome& welcome,
                           const std::vector<std::string>& argv) {
    if (what_.first_rank == 0 || launcher_ || killing_ || ended_)
        throw InputError("order refused: group " + std::to_string(id().value) +
                         " awaits no proxy here");
    launch(welcome, argv);
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

void GroupRun::launch(const wire::AgentWelcome& welcome, std::vector<std::string> argv) {
    Spawn spawn;
    spawn.argv = std::move(argv);
    spawn.environment = group_environment(
        welcome.environment,
        {"DUCTILE_AGENT=" + around_.marker, "DUCTILE_GROUP=" + std::to_string(id().value),
         "DUCTILE_JOB=" + around_.job, "DUCTILE_HOST=" + std::to_string(around_.host.value),
         "DUCTILE_SOCKET=" + around_.socket_path});
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
    if (mine.starter || killing_ || pipes.size() != 2)
        throw InputError("starter refused: rank " + std::to_string(hello.rank.value) +
                         " of group " + std::to_string(id().value) +
                         (mine.starter ? " is taken"
                          : killing_   ? " is being ended"
                                       : " brings no pipes"));
    mine.starter = peer;
    around_.output.add(id(), hello.rank, 1, std::move(pipes[0]));
    around_.output.add(id(), hello.rank, 2, std::move(pipes[1]));
    peer->on_message = [self = shared_from_this(), rank = hello.rank](wire::Json json,
                                                                      std::vector<wire::Fd>) {
        self->on_starter(rank, json);
    };
    peer->on_closed = [self = shared_from_this(), rank = hello.rank](const std::string&) {
        self->rank_ended(rank, {128 + SIGKILL, SIGKILL, "its starter was killed"});
        self->look();
    };
    const bool input = what_.input && hello.rank.value == 0;
    peer->send(wire::to_frame(wire::ToStarter{}),
               input ? around_.input.open() : wire::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
}

void GroupRun::on_starter(core::Rank rank, const wire::Json& json) {
    using FromStarter = std::variant<wire::StarterStarted, wire::StarterEnded>;
    auto& mine = slot(rank, "starter");
    std::visit(
        wire::Overloaded{[&](const wire::StarterStarted& message) {
                             mine.started = true;
                             mine.process = open_process(message.pid);
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
                           wire::Json json, std::vector<wire::Fd>) { self->on_rank(rank, json); };
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
        const auto host = remote_.ask(peer, what.host);
        around_.tell(wire::ProxyWanted{id(), host, what.argv});
    } catch (const InputError& error) {
        answer_companion(peer, 1, error.what());
    }
}

void GroupRun::proxy_ended(core::HostIndex host, int code) {
    remote_.ended(host, code);
    consider_launcher();
}

void GroupRun::set_brokerless(bool on) {
    brokerless_ = on;
    consider_launcher();
}

// Once all ranks have ended mpiexec should end soon. It waits for its proxies, and for their
// companions, which without a broker nobody would let go.
void GroupRun::consider_launcher() {
    if (!std::ranges::all_of(slots_, &Slot::ended)) return;
    if (brokerless_) remote_.release();
    if (remote_.all_ended()) kill_after(launcher_patience);
}

void GroupRun::on_rank(core::Rank rank, const wire::Json& json) {
    auto message = wire::decode<wire::FromRank>(json);
    if (std::holds_alternative<wire::RankHello>(message))
        throw InputError("rank refused: a second hello");
    if (std::holds_alternative<wire::Goodbye>(message)) slot(rank, "rank").goodbye = true;
    around_.tell(wire::FromRanks{id(), rank, std::move(message)});
}

// Once for each rank, from its starter's word or from the starter's death. What the rank said last
// on its own socket comes first.
void GroupRun::rank_ended(core::Rank rank, const wire::StarterEnded& end) {
    auto& mine = slot(rank, "starter");
    if (mine.ended) return;
    mine.ended = true;
    if (mine.rank) mine.rank->drain();
    signal_process(mine.process, SIGKILL);
    mine.process.reset();
    mine.code = end.code;
    if (!mine.goodbye && (mine.hello || end.code != 0)) failed_ = true;
    around_.tell(
        wire::RankEnded{id(), rank, end.code, end.signal, mine.hello, mine.goodbye, end.why});
    if (mine.rank) mine.rank->close("its process has ended");
    consider_launcher();
}

void GroupRun::to_ranks(core::Rank rank, const wire::ToRank& message) {
    const auto frame = wire::to_frame(message);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (rank.value >= 0 && rank.value != what_.first_rank + static_cast<int>(i)) continue;
        auto& mine = slots_[i];
        if (mine.rank)
            mine.rank->send(frame);
        else if (!mine.ended && mine.waiting.size() < max_waiting)
            mine.waiting.push_back(frame);
    }
}

void GroupRun::signal_ranks(int number) {
    for (const auto& mine : slots_) signal_process(mine.process, number);
}

void GroupRun::kill_after(std::chrono::duration<double> delay) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(delay);
    if (kill_timer_.expiry() > Clock::now() && kill_timer_.expiry() < until) return;
    kill_timer_.expires_at(until);
    kill_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = weak.lock();
        if (!error && self) self->kill();
    });
}

void GroupRun::kill() {
    if (ended_ || killing_) return;
    killing_ = true;
    overdue_ = launcher_ && launcher_->running() && std::ranges::all_of(slots_, &Slot::ended);
    around_.log("group " + std::to_string(id().value) + " is killed");
    if (launcher_) launcher_->kill();
    Belonging whose;
    whose.agent = around_.marker;
    whose.group = id();
    kill_processes(find_processes(whose));
    look();
}

void GroupRun::launcher_reaped(int status) {
    launcher_->reaped(status);
    grace_end_ = Clock::now() + grace;
    look();
}

// After mpiexec has ended: is anything of the group left? It has a grace, then it is killed.
void GroupRun::look() {
    if (ended_ || (launcher_ && launcher_->running())) return;
    Belonging whose;
    whose.agent = around_.marker;
    whose.group = id();
    whose.session = launcher_pid();
    whose.unmarked_orphans = around_.alone(id());
    whose.known = around_.known_children();
    const auto left = find_processes(whose);
    const bool starters =
        std::ranges::any_of(slots_, [](const Slot& mine) { return mine.starter && !mine.ended; });
    if (left.empty() && !starters) return finish();
    if (!killing_ && Clock::now() < grace_end_) return look_after(between_looks);
    for (const pid_t pid : left)
        around_.log("process " + std::to_string(pid) + " was left behind: killed");
    kill_processes(left);
    look_after(between_kills);
}

void GroupRun::look_after(std::chrono::milliseconds delay) {
    look_timer_.expires_after(delay);
    look_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = weak.lock();
        if (!error && self) self->look();
    });
}

void GroupRun::finish() {
    ended_ = true;
    look_timer_.cancel();
    kill_timer_.cancel();
    start_timer_.cancel();
    remote_.release();
    around_.output.group_gone(id());
    if (what_.input) around_.input.finish();
    wire::RunEnded end;
    end.group = id();
    if (overdue_) {
        end.text = "mpiexec did not end after its ranks, and was killed";
    } else if (late_) {
        end.code = 1;
        end.text = "its ranks here did not start within 60 s";
        if (launcher_ && !launcher_->text().empty()) end.text += ": " + launcher_->text();
    } else if (launcher_) {
        end.code = launcher_->code();
        end.signal = launcher_->signal();
        end.text = launcher_->text();
    }
    around_.tell(end);
    around_.on_ended(id());
}

bool GroupRun::orderly() const {
    return ended_ && !has_failed();
}

}  // namespace ductile::agent
