#include "agent/broker_health.hpp"

#include <utility>

#include "core/overloaded.hpp"

namespace ductile::agent {

namespace {

// The broker counts as gone if another program has answered at its port so many times in a row. One
// such answer is not enough: a broker that is dying may accept one more connection.
constexpr int unauthenticated_to_believe = 3;

}  // namespace

std::string to_text(BrokerState state) {
    switch (state) {
        case BrokerState::connecting:
            return "has not been reached yet";
        case BrokerState::connected:
            return "is connected";
        case BrokerState::unresponsive:
            return "does not answer";
        case BrokerState::unreachable:
            return "cannot be reached";
        case BrokerState::gone:
            return "is gone";
    }
    return "?";
}

void BrokerHealth::on(const broker_event::Any& event, Time now, BrokerEffects& effects) {
    std::visit(
        core::Overloaded{
            [&](const broker_event::Started&) { last_heartbeat_ = now; },
            [&](const broker_event::Heard&) {
                heard_ = now;
                unauthenticated_ = 0;
                become(BrokerState::connected, effects);
            },
            [&](const broker_event::Closed&) { heard_.reset(); },
            [&](const broker_event::CutOff&) {
                heard_.reset();
                become(BrokerState::unreachable, effects);
            },
            [&](const broker_event::Refused&) { on_failed_attempt(BrokerState::gone, effects); },
            [&](const broker_event::Unanswered&) {
                on_failed_attempt(BrokerState::unresponsive, effects);
            },
            [&](const broker_event::Unreachable&) {
                on_failed_attempt(BrokerState::unreachable, effects);
            },
            [&](const broker_event::Unauthenticated&) { on_unauthenticated(effects); },
            [&](const broker_event::HeartbeatDue&) { on_heartbeat_due(now, effects); },
        },
        event);
}

void BrokerHealth::on_heartbeat_due(Time now, BrokerEffects& effects) {
    const auto since = now - std::exchange(last_heartbeat_, now);
    if (since > heartbeat_.every * 2 + std::chrono::seconds(1)) {
        if (heard_) heard_ = now;
        effects.push_back(broker_effect::WasFrozen{});
    }
    const bool is_silent = heard_ && now - *heard_ > heartbeat_.limit;
    if (is_silent && state_ == BrokerState::connected) become(BrokerState::unresponsive, effects);
}

void BrokerHealth::on_unauthenticated(BrokerEffects& effects) {
    if (++unauthenticated_ >= unauthenticated_to_believe && state_ != BrokerState::connecting)
        become(BrokerState::gone, effects);
}

void BrokerHealth::on_failed_attempt(BrokerState seen, BrokerEffects& effects) {
    unauthenticated_ = 0;
    if (state_ != BrokerState::connecting) become(seen, effects);
}

void BrokerHealth::become(BrokerState state, BrokerEffects& effects) {
    if (std::exchange(state_, state) != state)
        effects.push_back(broker_effect::StateChanged{state});
}

}  // namespace ductile::agent
