#include "agent/group_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "agent/input.hpp"

namespace ductile::agent {

namespace {

Time now() {
    return os::JobClock::now();
}

/// The event of a rank's life that a message of the rank means, if any.
std::optional<rank_event::Any> event_in(const wire::FromRank& message) {
    if (std::holds_alternative<wire::Goodbye>(message)) return rank_event::Goodbye{};
    if (const auto* parked = std::get_if<wire::Parked>(&message))
        return rank_event::Parked{parked->on};
    if (const auto* spawned = std::get_if<wire::Spawned>(&message))
        return rank_event::SpawnReturned{spawned->group};
    if (std::holds_alternative<wire::MpiRuns>(message)) return rank_event::FilesNoted{};
    return std::nullopt;
}

wire::RankEnded end_of(const GroupRun& group, Place place) {
    const auto& rank = group.life().ranks()[place];
    const auto& end = *rank.end();
    return {group.order().group,
            group.rank_at(place),
            end.code,
            end.signal,
            rank.has_sent_hello() && !end.after_job,
            rank.has_sent_goodbye() && !end.after_job,
            end.why};
}

bool files_are_known(const GroupLife& group) {
    return std::ranges::all_of(group.ranks(), &RankLife::files_are_known);
}

std::string text_of(const GroupRun& group, const group_effect::Log& what) {
    const auto rank =
        what.place ? "rank " + std::to_string(group.rank_at(*what.place).value) + " of " : "";
    return rank + "group " + std::to_string(group.order().group.value) + " " + what.line;
}

}  // namespace

GroupRun::GroupRun(const AgentContext& context, wire::StartRun what)
    : context_(context),
      what_(std::move(what)),
      processes_(context, what_.group),
      life_(static_cast<std::size_t>(what_.ranks),
            std::get<wire::RankWelcome>(what_.welcome).role == wire::Role::newcomer),
      links_(static_cast<std::size_t>(what_.ranks)),
      timers_(context.io) {
    if (!what_.numbers.empty() && what_.numbers.size() != static_cast<std::size_t>(what_.ranks))
        throw InputError("order refused: group " + std::to_string(what_.group.value) +
                         " has another number of ranks here than it lists");
}

Place GroupRun::place_of(core::Rank rank, const char* who) const {
    const auto& numbers = what_.numbers;
    const int place = numbers.empty()
                          ? rank.value - what_.first_rank
                          : static_cast<int>(std::ranges::find(numbers, rank) - numbers.begin());
    if (place < 0 || place >= what_.ranks)
        throw InputError(std::string(who) + " refused: group " + std::to_string(what_.group.value) +
                         " has no rank " + std::to_string(rank.value) + " here");
    return static_cast<Place>(place);
}

void GroupRun::adopt_rank(const std::shared_ptr<LocalPeer>& peer, const wire::RankHello& hello) {
    const auto place = place_of(hello.rank, "rank");
    const auto& rank = life_.ranks()[place];
    if (rank.has_ended())
        throw InputError("rank refused: rank " + std::to_string(hello.rank.value) + " of group " +
                         std::to_string(what_.group.value) + " has ended");
    if (rank.has_sent_hello() || !is_own_program(place, peer->pid()))
        return send_away(peer, hello.rank);
    on(group_event::OfRank{place, rank_event::Hello{}});
    peer->on_message = [self = shared_from_this(), place](const wire::Message& encoded,
                                                          const std::vector<wire::Fd>&) {
        self->on_message(place, encoded);
    };
    peer->on_closed = [](const std::string&) {};
    links_.adopt(place, peer,
                 wire::to_frame(wire::ToRank{std::get<wire::RankWelcome>(what_.welcome)}));
    context_.tell(wire::FromRanks{what_.group, hello.rank, hello});
}

void GroupRun::send_away(const std::shared_ptr<LocalPeer>& peer, core::Rank rank) {
    wire::RankWelcome welcome;
    welcome.job = std::get<wire::RankWelcome>(what_.welcome).job;
    welcome.role = wire::Role::outsider;
    peer->on_message = [](const wire::Message&, const std::vector<wire::Fd>&) {};
    peer->on_closed = [](const std::string&) {};
    peer->send(wire::to_frame(wire::ToRank{std::move(welcome)}));
    if (std::exchange(has_told_of_outsiders_, true)) return;
    context_.tell(wire::Notice{"a second program with a Job in rank " +
                               core::to_string({what_.group, rank}) +
                               " runs as a program that is not resized"});
}

void GroupRun::on_message(Place place, const wire::Message& encoded) {
    auto message = wire::decode<wire::FromRank>(encoded);
    if (std::holds_alternative<wire::RankHello>(message))
        throw InputError("rank refused: a second hello");
    if (const auto event = event_in(message)) on(group_event::OfRank{place, *event});
    if (std::holds_alternative<wire::JoinedJob>(message)) on(group_event::Joined{});
    const bool for_agent_alone = std::holds_alternative<wire::MpiRuns>(message);
    if (for_agent_alone)
        for (auto* service : context_.services)
            service->mpi_runs(what_.group, links_.peer(place)->pid());
    on_rank_message(place, message);
    if (!for_agent_alone)
        context_.tell(wire::FromRanks{what_.group, rank_at(place), std::move(message)});
}

void GroupRun::set_brokerless(bool on_now) {
    if (on_now)
        on(group_event::BrokerLost{now() +
                                   std::chrono::duration_cast<Time::duration>(orphan_limit_)});
    else
        on(group_event::BrokerBack{});
}

void GroupRun::send(const std::vector<Place>& places, const wire::ToRank& message) {
    const auto frame = wire::to_frame(message);
    const auto* order = std::get_if<wire::SpawnGroup>(&message);
    for (const auto place : places) {
        if (order != nullptr)
            on(group_event::OfRank{place, rank_event::SpawnOrdered{order->group}});
        links_.send(place, frame);
    }
}

bool GroupRun::give_input(core::Rank rank) {
    const auto place = place_of(rank, "input");
    auto* peer = links_.peer(place);
    if (peer == nullptr || life_.ranks()[place].has_ended()) return false;
    peer->send(wire::to_frame(wire::ToRank{wire::TakeInput{}}),
               context_.input.open({what_.group, rank}));
    return true;
}

void GroupRun::signal_ranks(const std::vector<Place>& places, int number) {
    for (const auto place : places)
        if (!life_.ranks()[place].has_ended()) signal_rank(place, number);
}

void GroupRun::rank_started(StartedRank rank) {
    const auto place = place_of(rank.who.rank, "rank");
    starting_ = std::move(rank);
    on(group_event::OfRank{place, rank_event::Started{}});
}

void GroupRun::rank_ended(Place place, const RankEnd& end) {
    if (life_.ranks()[place].has_ended()) return;
    links_.drain(place);
    auto told = end;
    told.why.resize(std::min(told.why.size(), wire::limits::text_bytes));
    on(group_event::OfRank{place, rank_event::Ended{told}});
}

void GroupRun::on(const group_event::Any& event) {
    GroupEffects effects;
    life_.on(event, now(), effects);
    effects_.add(effects, [this](const group_effect::Any& effect) { carry_out(effect); });
}

void GroupRun::carry_out(const group_effect::Any& effect) {
    std::visit(
        wire::Overloaded{
            [&](const group_effect::StartTimer& one) {
                if (life_.has_ended()) return;
                timers_.start(one.which, one.at, [weak = weak_from_this()](GroupTimer which) {
                    if (const auto self = weak.lock()) self->on(group_event::TimerFired{which});
                });
            },
            [&](const group_effect::StopTimer& one) { timers_.stop(one.which); },
            [&](const group_effect::ServeStart&) {
                for (auto* service : context_.services) service->started(*starting_);
                starting_.reset();
            },
            [&](const group_effect::ServeEnd& one) {
                for (auto* service : context_.services)
                    service->ended({what_.group, rank_at(one.place)});
            },
            [&](const group_effect::ReportRankEnd& one) {
                context_.tell(end_of(*this, one.place));
                links_.close(one.place, "its process has ended");
            },
            [&](const group_effect::RankLeaves& one) { rank_leaves(one.place); },
            [&](const group_effect::KillRank& one) { signal_rank(one.place, SIGKILL); },
            [&](const group_effect::NoteFiles&) {
                if (!files_are_known(life_)) processes_.announce_kill(processes_.find(children()));
            },
            [&](const group_effect::KillAll&) {
                processes_.kill(processes_.find(children()), files_are_known(life_));
                kill_launcher();
            },
            [&](const group_effect::Look&) {
                on(group_event::Looked{processes_.look_for_stray(children())});
            },
            [&](const group_effect::KillLeft&) { processes_.kill_stray(files_are_known(life_)); },
            [&](const group_effect::ReleaseCompanions&) { release_companions(); },
            [&](const group_effect::ReportEnd& one) {
                timers_.stop_all();
                release_companions();
                for (auto* service : context_.services) service->group_ended(what_.group);
                context_.tell(last_word(one.cause));
                context_.on_ended(what_.group);
            },
            [&](const group_effect::Log& one) { context_.log(text_of(*this, one)); },
        },
        effect);
}

std::vector<Place> places_in(const GroupRun& group, const core::RankRange& range) {
    std::vector<Place> places;
    for (const auto place : all_places(group))
        if (range.holds({group.order().group, group.rank_at(place)})) places.push_back(place);
    return places;
}

std::vector<Place> all_places(const GroupRun& group) {
    std::vector<Place> places(group.life().ranks().size());
    for (Place place = 0; place < places.size(); ++place) places[place] = place;
    return places;
}

std::vector<Place> parked_places(const GroupRun& group) {
    auto places = all_places(group);
    std::erase_if(places,
                  [&group](Place place) { return !group.life().ranks()[place].is_parked(); });
    return places;
}

wire::GroupInventory inventory_of(const GroupRun& group) {
    const auto& life = group.life();
    wire::GroupInventory inventory{group.order().group,   group.order().first_rank,
                                   group.order().numbers, {},
                                   life.are_members(),    life.has_ended()};
    for (Place place = 0; place < life.ranks().size(); ++place) {
        const auto& rank = life.ranks()[place];
        const auto end = rank.end() == nullptr ? RankEnd{} : *rank.end();
        inventory.ranks.push_back({rank.has_sent_hello() && !end.after_job,
                                   rank.has_sent_goodbye() && !end.after_job, rank.has_ended(),
                                   rank.is_dismissed(), end.code, end.signal, end.why,
                                   group.local_rank_at(place)});
    }
    return inventory;
}

void expect_program(const wire::AgentWelcome& welcome) {
    if (::access(welcome.directory.c_str(), X_OK) != 0)
        throw InputError("cannot use the directory " + welcome.directory + ": " +
                         std::strerror(errno));
    const auto path = std::filesystem::path(welcome.directory) / welcome.program.at(0);
    if (::access(path.c_str(), X_OK) != 0)
        throw InputError("cannot execute " + path.string() + ": " + std::strerror(errno));
}

}  // namespace ductile::agent
