// Transactions that go wrong: lost newcomers, passed deadlines, and how nothing of them is left.
#include <fmt/format.h>

#include "broker/broker.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto ask_again_after = 1s;
constexpr auto stand_in_within = 7s;

}  // namespace

void Broker::newcomer_lost(const std::string& why) {
    if (transaction_->phase < Phase::waiting)
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
    send_to_groups(layout_.groups, wire::Abandon{t.id, why.substr(0, wire::limits::text_bytes)});
}

void Broker::roll_back(const std::string& why) {
    auto& t = *transaction_;
    if (t.undoing) return;
    t.undoing = true;
    t.why = why;
    if (t.phase == Phase::asking)
        send_to_groups(layout_.groups, wire::Decide{t.id, 0, t.kind, {}, {}});
    if (t.kind == wire::ResizeKind::expand)
        send_to_groups(layout_.groups, wire::Underway{t.id, false});
    for (const auto& group : t.added) {
        if (auto* state = groups_.find(group.id)) {
            state->role = GroupRole::undone;
            send_to_hosts_of(group.id, wire::KillRun{group.id});
        }
    }
    t.deadline.reset();
    if (t.accepting && !t.stand_in) t.accept_within(100ms);
    finish_undoing();
}

// Over when the newcomers are gone and the leader is out of its accept.
void Broker::finish_undoing() {
    auto& t = *transaction_;
    if (t.accepting) return;
    for (const auto& group : t.added)
        if (groups_.find(group.id) != nullptr) return;
    if (t.worn_bridge) worn_ = true;
    record_resize(t, "rolled_back");
    say(fmt::format("the resize from {} to {} ranks is rolled back, the job is unchanged: {}",
                    t.before.size(), t.after.size(), t.why));
    auto reply = std::move(t.reply);
    const std::string why = t.why;
    transaction_.reset();
    if (reply) reply(wire::ReplyKind::rolled_back, "rolled back, the job is unchanged: " + why);
    finish_if_all_ended();
    finish_idle_agents();
    start_next_request();
}

void Broker::on_stand_in_ended(const wire::StandInEnded& ended) {
    if (transaction_ && transaction_->id == ended.transaction && !ended.ok)
        say("the stand-in for a lost newcomer failed: " + ended.why);
}

void Broker::check_deadlines() {
    if (!transaction_) return;
    auto& t = *transaction_;
    const auto now = Clock::now();
    if (t.switch_before && now > *t.switch_before && !t.undoing && !t.abandoned &&
        t.phase < Phase::switching) {
        t.switch_before.reset();
        return newcomer_lost("the program reached no resize point within --switch-within");
    }
    if (t.accept_before && now > *t.accept_before) return help_accept();
    if (!t.deadline || now < *t.deadline) return;
    t.deadline.reset();
    if (t.undoing) return;
    switch (t.phase) {
        case Phase::asking:
            // A rank that does not answer is stopped, which is no failure: let the others go on,
            // and ask again.
            if (t.agreement) {
                send_to_groups(layout_.groups, wire::Decide{t.id, 0, t.kind, {}, {}});
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
            return roll_back(t.deadline_why);
    }
}

// The leader is in an accept that does not return: a stand-in connects in the newcomer's place.
void Broker::help_accept() {
    auto& t = *transaction_;
    t.accept_before.reset();
    if (!t.stand_in) {
        t.stand_in = true;
        t.accept_within(stand_in_within);
        agents_.send(layout_.groups.front().host, wire::RunStandIn{t.id, t.port, t.secret});
        return;
    }
    t.accepting = false;  // the stand-in has failed, too: the accept cannot be ended
    t.worn_bridge = true;
    if (t.undoing) return finish_undoing();
    roll_back("the leader's accept could not be ended; the job is worn");
}

}  // namespace ductile::broker
