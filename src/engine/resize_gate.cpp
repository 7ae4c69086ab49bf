#include "engine/resize_gate.hpp"

#include <utility>

namespace ductile::engine {

void ResizeGate::tell(const gate::Event& event) {
    const std::lock_guard lock(mutex_);
    act_on(event);
}

// The caller holds the lock.
void ResizeGate::act_on(const gate::Event& event) {
    gate::Effects effects;
    state_.on(event, effects);
    for (const auto& effect : effects) carry_out(effect);
    changed_.notify_all();
}

void ResizeGate::carry_out(const gate::Effect& effect) {
    if (const auto* answer = std::get_if<gate::Answer>(&effect))
        actions_.answer(answer->prepare, answer->finished ? counter.count() : counter.arm(),
                        answer->finished);
    else if (std::holds_alternative<gate::Disarm>(effect))
        counter.disarm();
    else if (std::holds_alternative<gate::EndPending>(effect))
        counter.set_pending(false);
    else if (std::holds_alternative<gate::CastEarlyVote>(effect))
        actions_.cast_early_vote();
    else if (const auto* voting = std::get_if<gate::ReportVoting>(&effect))
        actions_.report_voting(voting->transaction);
    else if (const auto* send = std::get_if<gate::SendReport>(&effect))
        actions_.send_report(send->report);
    else if (wake_switch_)  // WakeSwitch
        wake_switch_();
}

void ResizeGate::begin(std::int64_t count, core::TransactionId by) {
    const std::lock_guard lock(mutex_);
    counter.set_count(count);
    act_on(gate::Joined{by});
}

std::optional<SwitchPlan> ResizeGate::wait_at(std::int64_t point) {
    std::unique_lock lock(mutex_);
    auto verdict = GateState::AtPoint::wait;
    changed_.wait(lock, [&] {
        verdict = state_.reach(point);
        return verdict != GateState::AtPoint::wait;
    });
    if (verdict == GateState::AtPoint::pass) return std::nullopt;
    return *state_.plan();
}

void ResizeGate::wait_for_newcomers() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !state_.awaits_newcomers(); });
}

std::optional<std::string> ResizeGate::objection() {
    const std::lock_guard lock(mutex_);
    return state_.objection();
}

void ResizeGate::on_newcomers_lost(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_switch_ = std::move(wake);
    if (state_.newcomers_lost()) wake_switch_();
}

void ResizeGate::end_switch(const gate::SwitchEnded& end) {
    const std::lock_guard lock(mutex_);
    wake_switch_ = nullptr;
    act_on(end);
}

void ResizeGate::finish() {
    std::unique_lock lock(mutex_);
    act_on(gate::ProgramEnded{});
    changed_.wait(lock, [this] { return !state_.awaits_decision(); });
}

std::optional<core::TransactionId> ResizeGate::wait_parked(core::TransactionId last) {
    std::unique_lock lock(mutex_);
    act_on(gate::WentToSleep{});
    std::optional<core::TransactionId> call;
    changed_.wait(lock, [&] {
        if (!state_.exit_permitted()) call = state_.take_call(last);
        return state_.exit_permitted() || call;
    });
    return call;
}

bool ResizeGate::exit_permitted() {
    const std::lock_guard lock(mutex_);
    return state_.exit_permitted();
}

void ResizeGate::wait_to_exit(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience,
                      [this] { return state_.exit_permitted() || state_.broker_lost(); });
}

}  // namespace ductile::engine
