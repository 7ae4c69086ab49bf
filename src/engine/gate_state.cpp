#include "engine/gate_state.hpp"

#include <utility>

#include "core/overloaded.hpp"

namespace ductile::engine {

using namespace gate;
using core::Overloaded;

namespace {

// Null if a rank cannot have answered in this place.
Agreement* agreement_in(Place& place) {
    if (auto* in_program = std::get_if<InProgram>(&place)) return &in_program->agreement;
    if (auto* finished = std::get_if<Finished>(&place)) return &finished->agreement;
    return nullptr;
}

News* news_in(Place& place, TransactionId of) {
    if (auto* in_switch = std::get_if<InSwitch>(&place))
        return in_switch->plan.transaction == of ? &in_switch->news : nullptr;
    auto* agreement = agreement_in(place);
    if (agreement == nullptr) return nullptr;
    if (auto* answered = std::get_if<Answered>(agreement))
        return answered->transaction == of ? &answered->news : nullptr;
    if (auto* known = std::get_if<PointKnown>(agreement))
        return known->plan.transaction == of ? &known->news : nullptr;
    return nullptr;
}

// The slot in which a Prepare waits. Null if the rank answers it immediately.
std::optional<Owed>* owed_in(Place& place) {
    if (auto* newcomer = std::get_if<Newcomer>(&place)) return &newcomer->owed;
    if (auto* in_switch = std::get_if<InSwitch>(&place)) return &in_switch->owed;
    if (auto* parked = std::get_if<Parked>(&place)) return &parked->owed;
    if (auto* in_program = std::get_if<InProgram>(&place))
        if (auto* voting = std::get_if<VotingEarly>(&in_program->agreement)) return &voting->owed;
    return nullptr;
}

void drop_owed(Place& place, TransactionId of) {
    auto* owed = owed_in(place);
    if (owed != nullptr && *owed && (*owed)->prepare.transaction == of) owed->reset();
}

void take_up(Place& place, const std::optional<Owed>& owed, Effects& effects) {
    if (!owed) return;
    auto* in_program = std::get_if<InProgram>(&place);
    effects.emplace_back(Answer{owed->prepare, in_program == nullptr});
    if (in_program == nullptr) return;
    in_program->agreement = Answered{owed->prepare.transaction, {}};
    if (!owed->broker_lost) return;
    in_program->agreement = VotingEarly{owed->prepare.transaction, {}, {}};
    effects.emplace_back(CastEarlyVote{});
}

// A Prepare that waited in the old place is answered in the new one.
void go_to(Place& place, Place next, Effects& effects) {
    const auto* open = owed_in(place);
    const auto owed = open == nullptr ? std::nullopt : *open;
    place = std::move(next);
    take_up(place, owed, effects);
}

void advance(Place& place, const Asked& event, Effects& effects) {
    const Owed prepare{event.prepare};
    if (auto* owed = owed_in(place))
        *owed = prepare;
    else
        take_up(place, prepare, effects);
}

void advance(Place& place, const Announced& event, Effects&) {
    drop_owed(place, event.plan.transaction);
    auto* agreement = agreement_in(place);
    if (agreement == nullptr) return;
    if (auto* voting = std::get_if<VotingEarly>(agreement)) {
        if (voting->transaction == event.plan.transaction) voting->point = event.plan.point;
    } else if (const auto* heard = news_in(place, event.plan.transaction)) {
        auto news = *heard;
        *agreement = PointKnown{event.plan, std::move(news)};
    }
}

void advance(Place& place, const CalledOff& event, Effects& effects) {
    drop_owed(place, event.transaction);
    auto* agreement = agreement_in(place);
    const auto* answered = agreement == nullptr ? nullptr : std::get_if<Answered>(agreement);
    if (answered == nullptr || answered->transaction != event.transaction) return;
    *agreement = Unasked{};
    effects.emplace_back(Disarm{});
}

void advance(Place& place, const NewcomersReady& event, Effects&) {
    if (auto* news = news_in(place, event.transaction)) news->newcomers_ready = true;
}

void advance(Place& place, const NewcomersLost& event, Effects& effects) {
    auto* news = news_in(place, event.transaction);
    if (news == nullptr) return;
    news->newcomers_lost = event.why.empty() ? "the newcomers are lost" : event.why;
    if (std::holds_alternative<InSwitch>(place)) effects.emplace_back(WakeSwitch{});
}

void advance(Place& place, const BrokerLost&, Effects& effects) {
    effects.emplace_back(EndPending{});
    if (auto* owed = owed_in(place); owed != nullptr && *owed) (*owed)->broker_lost = true;
    if (auto* in_switch = std::get_if<InSwitch>(&place)) in_switch->news.broker_lost = true;
    auto* agreement = agreement_in(place);
    if (agreement == nullptr) return;
    std::optional<VotingEarly> vote;
    if (const auto* answered = std::get_if<Answered>(agreement))
        vote = VotingEarly{answered->transaction, {}, {}};
    else if (const auto* known = std::get_if<PointKnown>(agreement))
        vote = VotingEarly{known->plan.transaction, known->plan.point, {}};
    if (!vote) return;
    *agreement = *vote;
    effects.emplace_back(CastEarlyVote{});
}

void advance(Place& place, const CalledToVote& event, Effects& effects) {
    if (std::holds_alternative<Parked>(place)) return;  // parked ranks do not vote
    const Owed vote{{event.transaction, 0}, true};
    if (auto* owed = owed_in(place)) {
        if (!*owed) *owed = vote;
    } else if (auto* in_program = std::get_if<InProgram>(&place);
               in_program != nullptr && std::holds_alternative<Unasked>(in_program->agreement)) {
        in_program->agreement = VotingEarly{event.transaction, {}, {}};
        effects.emplace_back(CastEarlyVote{});
    }
}

void advance(Place& place, const Joined&, Effects& effects) {
    go_to(place, InProgram{}, effects);
}

void advance(Place& place, const SwitchEnded&, Effects& effects) {
    if (!std::holds_alternative<InSwitch>(place)) return;
    effects.emplace_back(EndPending{});
    effects.emplace_back(Disarm{});
    go_to(place, InProgram{}, effects);
}

void advance(Place& place, const EarlyVoteEnded&, Effects& effects) {
    auto* agreement = agreement_in(place);
    auto* voting = agreement == nullptr ? nullptr : std::get_if<VotingEarly>(agreement);
    if (voting == nullptr) return;
    const auto owed = voting->owed;
    *agreement = Unasked{};
    effects.emplace_back(Disarm{});
    take_up(place, owed, effects);
}

void advance(Place& place, const WentToSleep&, Effects&) {
    if (std::holds_alternative<InProgram>(place)) place = Parked{};
}

void advance(Place& place, const ProgramEnded&, Effects& effects) {
    if (auto* in_program = std::get_if<InProgram>(&place)) {
        auto agreement = std::move(in_program->agreement);
        place = Finished{std::move(agreement)};
    } else if (!std::holds_alternative<Finished>(place)) {
        go_to(place, Finished{}, effects);
    }
}

// These events do not change the agreement.
void advance(Place&, const BrokerBack&, Effects&) {}
void advance(Place&, const CalledBack&, Effects&) {}
void advance(Place&, const ExitPermitted&, Effects&) {}
void advance(Place&, const HelperWorks&, Effects&) {}

}  // namespace

void GateState::on(const Event& event, Effects& effects) {
    const auto* call = std::get_if<CalledToVote>(&event);
    if (call != nullptr && has_voted_in(call->transaction)) return;
    remember(event);
    std::visit([&](const auto& one) { advance(place_, one, effects); }, event);
    if (const auto* vote = early_vote()) {
        const bool is_new = std::exchange(last_vote_, vote->transaction) != vote->transaction;
        if (std::holds_alternative<BrokerBack>(event) || (is_new && !broker_lost_))
            effects.emplace_back(ReportVoting{vote->transaction});
    }
    if (!report_owed_ || is_open()) return;
    report_owed_ = false;
    effects.emplace_back(SendReport{report_});
}

void GateState::remember(const Event& event) {
    std::visit(Overloaded{[&](const BrokerLost&) { broker_lost_ = true; },
                          [&](const BrokerBack&) {
                              broker_lost_ = false;
                              report_owed_ = true;
                          },
                          [&](const CalledBack& one) { called_back_ = one.transaction; },
                          [&](const ExitPermitted&) { exit_permitted_ = true; },
                          [&](const HelperWorks& one) {
                              if (one.on)
                                  working_.insert(one.helper);
                              else
                                  working_.erase(one.helper);
                          },
                          [&](const Joined& one) { report_.transaction = one.by; },
                          [&](const SwitchEnded& one) {
                              if (one.committed) report_.transaction = one.transaction;
                              report_.degraded = one.degraded;
                          },
                          [](const auto&) {}},
               event);
}

GateState::AtPoint GateState::reach(std::int64_t point) {
    auto* in_program = std::get_if<InProgram>(&place_);
    if (in_program == nullptr) return AtPoint::pass;
    auto& agreement = in_program->agreement;
    if (std::holds_alternative<Answered>(agreement)) return AtPoint::wait;
    if (const auto* voting = std::get_if<VotingEarly>(&agreement))
        return voting->point && *voting->point != point ? AtPoint::pass : AtPoint::wait;
    auto* known = std::get_if<PointKnown>(&agreement);
    if (known == nullptr || known->plan.point != point) return AtPoint::pass;
    last_vote_ = known->plan.transaction;
    InSwitch in_switch{std::move(known->plan), std::move(known->news), {}};
    place_ = std::move(in_switch);
    return AtPoint::stop;
}

const SwitchPlan* GateState::plan() const {
    const auto* in_switch = std::get_if<InSwitch>(&place_);
    return in_switch == nullptr ? nullptr : &in_switch->plan;
}

std::optional<std::string> GateState::objection() const {
    const auto* in_switch = std::get_if<InSwitch>(&place_);
    if (in_switch == nullptr) return std::nullopt;
    if (newcomers_lost()) return in_switch->news.newcomers_lost;
    if (in_switch->news.broker_lost) return "the broker is lost";
    return std::nullopt;
}

bool GateState::newcomers_lost() const {
    const auto* in_switch = std::get_if<InSwitch>(&place_);
    return in_switch != nullptr && !in_switch->news.newcomers_lost.empty();
}

bool GateState::awaits_newcomers() const {
    const auto* in_switch = std::get_if<InSwitch>(&place_);
    return in_switch != nullptr && !in_switch->news.newcomers_ready && !objection();
}

bool GateState::awaits_decision() const {
    const auto* finished = std::get_if<Finished>(&place_);
    return finished != nullptr && (std::holds_alternative<Answered>(finished->agreement) ||
                                   std::holds_alternative<VotingEarly>(finished->agreement));
}

std::optional<core::TransactionId> GateState::take_call(core::TransactionId last) {
    if (!called_back_ || *called_back_ <= last) return std::nullopt;
    return std::exchange(called_back_, std::nullopt);
}

bool GateState::has_voted_in(core::TransactionId transaction) const {
    return last_vote_ >= transaction;
}

// The early vote that is under way.
const VotingEarly* GateState::early_vote() const {
    const auto visit = [](const Agreement& one) { return std::get_if<VotingEarly>(&one); };
    if (const auto* in_program = std::get_if<InProgram>(&place_))
        return visit(in_program->agreement);
    if (const auto* finished = std::get_if<Finished>(&place_)) return visit(finished->agreement);
    return nullptr;
}

// While this is true, the report to a resumed broker waits.
bool GateState::is_open() const {
    const auto is_asked = [](const Agreement& agreement) {
        return !std::holds_alternative<Unasked>(agreement);
    };
    return !working_.empty() ||
           std::visit(Overloaded{[](const Newcomer&) { return true; },
                                 [&](const InProgram& one) { return is_asked(one.agreement); },
                                 [](const InSwitch&) { return true; },
                                 [](const Parked& one) { return one.owed.has_value(); },
                                 [&](const Finished& one) { return is_asked(one.agreement); }},
                      place_);
}

}  // namespace ductile::engine
