// Transactions that go wrong: lost newcomers, passed deadlines, and how nothing of them is left.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "broker/broker.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto ask_again_after = 1s;
constexpr auto stand_in_within = 7s;
constexpr std::chrono::seconds spawn_may_take = 60s;
constexpr std::chrono::seconds spawn_ends_within = 5s;  ///< when a newcomer is lost
constexpr auto accept_ends_within = 1s;                 ///< that of a spawn which was answered
constexpr auto merge_ends_within = 5s;

}  // namespace

void Broker::newcomer_lost(const std::string& why, int code) {
    auto& t = *transaction_;
    if (t.lost.empty()) {
        t.lost = why;
        t.lost_code = code != 0 ? code : code_lost;
    }
    give_up(why);
}

void Broker::give_up(const std::string& why) {
    if (!transaction_->announced)
        roll_back(why);
    else
        abandon(why);
}

// The point is announced, so the sources' votes decide; this is what they hear before they vote.
void Broker::abandon(const std::string& why) {
    auto& t = *transaction_;
    if (t.abandoned) return;
    t.abandoned = true;
    t.why = why;
    send_to_members(wire::Abandon{t.id, why.substr(0, wire::limits::text_bytes)});
    if (t.phase == Phase::switching || t.added.empty()) return;
    // Nothing can be committed without the newcomers. In a blocking resize the sources may not come
    // to their vote: one that is inside of MPI_Comm_spawn keeps its other threads out of MPI.
    end_newcomers();
    // Whoever asked need not wait for the point; but a lost host of a start inside MPI may take the
    // launcher run of those who started it along.
    if (t.phase != Phase::waiting || (t.spawning && !t.lost.empty())) return;
    if (auto reply = std::exchange(t.reply, nullptr))
        reply(wire::ReplyKind::rolled_back, "rolled back, the job is unchanged: " + why);
}

// What is just starting a group by an mpiexec would hang for ever if that were killed; an agent
// answers it.
void Broker::end_newcomers() {
    auto& t = *transaction_;
    t.ending_due = t.awaits_newcomers();
    if (t.is_spawning()) {
        send_to_newcomers(wire::Underway{t.id, false});  // who is up starts no more
        fail_spawns();
        return await_spawns();
    }
    if (t.ending_due) return t.set_deadline(merge_ends_within, "");
    for (const auto& group : transaction_->added) {
        if (auto* state = groups_.find(group.id)) {
            state->role = GroupRole::undone;
            send_to_hosts_of(group.id, wire::KillRun{group.id});
        }
    }
}

// From each that returns to the next. One that was answered does so within milliseconds, or its new
// ranks do not come.
void Broker::await_spawns() {
    const auto any = [this](SpawnCaller::State state) {
        return std::ranges::any_of(
            spawn_callers_, [state](const auto& entry) { return entry.second.state == state; });
    };
    auto& t = *transaction_;
    if (any(SpawnCaller::State::accepting))
        t.set_deadline(accept_ends_within, "");
    else
        t.set_deadline(
            t.lost.empty() && !any(SpawnCaller::State::helped) ? spawn_may_take : spawn_ends_within,
            "");
}

void Broker::roll_back(const std::string& why) {
    auto& t = *transaction_;
    if (t.undoing) return;
    t.undoing = true;
    t.why = why;
    if (t.phase == Phase::asking) send_to_members(wire::Decide{t.id, 0, {}, {}, false});
    if (!t.added.empty()) send_to_members(wire::Underway{t.id, false});
    t.deadline.reset();
    end_newcomers();
    if (t.accepting && !t.stand_in && !t.ending_due) t.accept_within(100ms);
    finish_undoing();
}

// Over when the newcomers are gone and the leader is out of its accept, unless the job is about to
// end, too.
void Broker::finish_undoing() {
    auto& t = *transaction_;
    if (suspect_ || t.accepting || t.awaits_newcomers()) return;
    for (const auto& group : t.added)
        if (groups_.find(group.id) != nullptr) return;
    if (t.worn_bridge) wear_ = Wear::final;
    if (t.worn) wear_ = std::max(wear_, Wear::helper);
    record_resize(t, "rolled_back");
    say(fmt::format("the resize from {} to {} ranks is rolled back, the job is unchanged: {}",
                    t.before.size(), t.after.size(), t.why));
    auto reply = std::move(t.reply);
    const std::string why = t.why;
    transaction_.reset();
    journal_fact("the resize is rolled back");
    if (reply) reply(wire::ReplyKind::rolled_back, "rolled back, the job is unchanged: " + why);
    finish_if_all_ended();
    finish_idle_agents();
    start_next_request();
}

void Broker::on_stand_in_ended(const wire::StandInEnded& ended) {
    if (transaction_ && transaction_->id == ended.transaction && !ended.ok &&
        (transaction_->stand_in || transaction_->is_spawning()))
        say("the stand-in for a lost newcomer failed: " + ended.why);
}

void Broker::check_deadlines() {
    if (!transaction_) return;
    auto& t = *transaction_;
    const auto now = Clock::now();
    if (t.switch_before && now > *t.switch_before && !t.undoing && !t.abandoned &&
        t.phase < Phase::switching) {
        t.switch_before.reset();
        return give_up("the program reached no resize point within --switch-within");
    }
    if (t.accept_before && now > *t.accept_before) return help_accept();
    if (!t.deadline || now < *t.deadline) return;
    t.deadline.reset();
    if (t.ending_due && t.is_spawning() && help_spawns()) return await_spawns();
    if (t.ending_due && t.is_spawning())
        return end_job(code_lost, fmt::format("a resize that was given up ({}) could not be "
                                              "undone: {}, which does not return; the job is ended",
                                              t.why, what_is_spawned()));
    if (t.ending_due) {  // they are dead, and who waits for them stays inside of MPI
        t.merging.clear();
        t.worn = true;
        end_newcomers();
        return t.undoing ? finish_undoing() : void();
    }
    if (t.undoing) return;
    switch (t.phase) {
        case Phase::asking:
            // A rank that does not answer is stopped, which is no failure: let the others go on,
            // and ask again.
            if (t.agreement) {
                send_to_members(wire::Decide{t.id, 0, {}, {}, false});
                t.agreement.reset();
                t.set_deadline(ask_again_after, "");
                return;
            }
            return ask();
        case Phase::waiting:
            return;
        case Phase::switching:
            return end_job(
                125, "a switch hung (" + t.deadline_why +
                         " in time) and MPI could not be brought back from it; the job is ended");
        default:
            return give_up(t.deadline_why);
    }
}

// The leader is in an accept that does not return: a stand-in connects in the newcomer's place.
void Broker::help_accept() {
    auto& t = *transaction_;
    t.accept_before.reset();
    if (!t.stand_in) {
        t.stand_in = true;
        t.accept_within(stand_in_within);
        agents_.send(layout_.host_of(core::Rank{0}), wire::RunStandIn{t.id, t.port, t.secret});
        if (t.ending_due && !t.awaits_newcomers()) end_newcomers();
        return;
    }
    t.accepting = false;  // the stand-in has failed, too: the accept cannot be ended
    t.worn_bridge = true;
    if (t.undoing) return finish_undoing();
    give_up("the leader's accept could not be ended; the job is worn");
}

}  // namespace ductile::broker
