#include "agent/group_run.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

namespace ductile::agent {

namespace {

constexpr auto start_limit = std::chrono::seconds(60);
constexpr std::size_t max_waiting = 1024;  // messages for a rank that has not said hello

}  // namespace

GroupRun::GroupRun(AgentContext& around, wire::StartRun what)
    : around_(around),
      what_(std::move(what)),
      slots_(static_cast<std::size_t>(what_.ranks)),
      stale_files_(around.stale_files_path),
      kill_timer_(around.io),
      start_timer_(around.io),
      look_timer_(around.io),
      unjoined_timer_(around.io),
      leave_timer_(around.io),
      member_(std::get<wire::RankWelcome>(what_.welcome).role != wire::Role::newcomer) {}

void GroupRun::look_at_program(const wire::AgentWelcome& welcome) const {
    if (::access(welcome.directory.c_str(), X_OK) != 0)
        throw InputError("cannot use the directory " + welcome.directory + ": " +
                         std::strerror(errno));
    const auto path = std::filesystem::path(welcome.directory) / welcome.program.at(0);
    if (::access(path.c_str(), X_OK) != 0)
        throw InputError("cannot execute " + path.string() + ": " + std::strerror(errno));
}

// Whoever starts the ranks may never come to it; without a word nobody else would notice.
void GroupRun::expect_ranks() {
    start_timer_.expires_after(start_limit);
    start_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = weak.lock();
        if (error || !self || self->ended_ || self->all_have_come()) return;
        self->late_ = true;
        self->kill();
    });
}

std::vector<std::string> GroupRun::marks() const {
    return {"DUCTILE_AGENT=" + around_.marker, "DUCTILE_GROUP=" + std::to_string(id().value),
            "DUCTILE_JOB=" + around_.job, "DUCTILE_HOST=" + std::to_string(around_.host.value),
            "DUCTILE_SOCKET=" + around_.socket_path};
}

GroupRun::Slot& GroupRun::slot(core::Rank rank, const char* who) {
    const int index = rank.value - what_.first_rank;
    if (index < 0 || index >= what_.ranks)
        throw InputError(std::string(who) + " refused: group " + std::to_string(id().value) +
                         " has no rank " + std::to_string(rank.value) + " here");
    return slots_[static_cast<std::size_t>(index)];
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

void GroupRun::set_brokerless(bool on) {
    if (std::exchange(brokerless_, on) != on) give_newcomers_time();
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

void GroupRun::on_rank(core::Rank rank, const wire::Json& json) {
    auto message = wire::decode<wire::FromRank>(json);
    if (std::holds_alternative<wire::RankHello>(message))
        throw InputError("rank refused: a second hello");
    if (std::holds_alternative<wire::Goodbye>(message)) slot(rank, "rank").goodbye = true;
    if (const auto* parked = std::get_if<wire::Parked>(&message))
        slot(rank, "rank").parked = parked->on;
    member_ = member_ || std::holds_alternative<wire::Became>(message);
    if (const auto* started = std::get_if<wire::Spawned>(&message)) {
        slot(rank, "rank").spawns.erase(started->group);
        on_spawned(rank);
    }
    if (std::holds_alternative<wire::MpiRuns>(message)) return on_mpi_runs(rank);
    around_.tell(wire::FromRanks{id(), rank, std::move(message)});
}

void GroupRun::on_mpi_runs(core::Rank rank) {
    auto& mine = slot(rank, "rank");
    mine.noted = true;
    stale_files_.note(mine.rank->pid());
}

void GroupRun::rank_ended(core::Rank rank, const RankEnd& end) {
    auto& mine = slot(rank, "rank");
    if (mine.ended) return;
    mine.ended = true;
    if (mine.rank) mine.rank->drain();
    signal_rank(rank, SIGKILL);
    mine.code = end.code;
    mine.signal_number = end.signal;
    mine.why = end.why.substr(0, wire::limits::text_bytes);
    mine.failed = !mine.goodbye && (mine.hello || end.code != 0);
    around_.input.end_of({id(), rank});
    around_.tell(
        wire::RankEnded{id(), rank, end.code, end.signal, mine.hello, mine.goodbye, mine.why});
    if (mine.rank) mine.rank->close("its process has ended");
    consider_end();
}

wire::GroupStock GroupRun::stock() const {
    wire::GroupStock stock{id(), what_.first_rank, {}, member_, ended_};
    for (const auto& mine : slots_)
        stock.ranks.push_back({mine.hello, mine.goodbye, mine.ended, mine.dismissed, mine.code,
                               mine.signal_number, mine.why});
    return stock;
}

void GroupRun::send(Slot& to, const wire::ToRank& message, const std::string& frame) {
    if (const auto* order = std::get_if<wire::SpawnGroup>(&message)) to.spawns.insert(order->group);
    if (to.rank)
        to.rank->send(frame);
    else if (!to.ended && to.waiting.size() < max_waiting)
        to.waiting.push_back(frame);
}

void GroupRun::to_all(const wire::ToRank& message) {
    const auto frame = wire::to_frame(message);
    for (auto& mine : slots_) send(mine, message, frame);
}

void GroupRun::to_ranks(const core::RankRange& range, const wire::ToRank& message) {
    const auto frame = wire::to_frame(message);
    for (std::size_t i = 0; i < slots_.size(); ++i)
        if (range.holds({id(), rank_at(i)})) send(slots_[i], message, frame);
}

void GroupRun::to_parked(const wire::ToRank& message) {
    const auto frame = wire::to_frame(message);
    for (auto& mine : slots_)
        if (mine.parked && !mine.ended) send(mine, message, frame);
}

bool GroupRun::give_input(core::Rank rank) {
    auto& mine = slot(rank, "input");
    if (!mine.rank || mine.ended) return false;
    mine.rank->send(wire::to_frame(wire::ToRank{wire::TakeInput{}}),
                    around_.input.open({id(), rank}));
    return true;
}

bool GroupRun::has_failed() const {
    return std::ranges::any_of(slots_,
                               [](const Slot& mine) { return mine.failed && !mine.dismissed; });
}

bool GroupRun::has_active() const {
    return !ended_ && std::ranges::any_of(slots_, [](const Slot& mine) {
        return !mine.parked && !mine.goodbye && !mine.ended;
    });
}

void GroupRun::dismiss() {
    for (auto& mine : slots_) mine.dismissed = true;
}

bool GroupRun::spawns(core::Rank rank) const {
    const auto& mine = slots_.at(static_cast<std::size_t>(rank.value - what_.first_rank));
    return !mine.ended && !mine.spawns.empty();
}

bool GroupRun::spawns() const {
    for (std::size_t i = 0; member_ && i < slots_.size(); ++i)
        if (spawns(rank_at(i))) return true;
    return false;
}

}  // namespace ductile::agent
