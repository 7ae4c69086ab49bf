#include "agent/orphan_watch.hpp"

namespace ductile::agent {

std::optional<std::string> danger(const Situation& situation) {
    if (situation.broker == BrokerState::connected || situation.broker == BrokerState::connecting)
        return std::nullopt;
    const auto broker = "the broker " + to_text(situation.broker);
    if (situation.member_died) return broker + " and a rank of the job has failed";
    if (situation.broker == BrokerState::unreachable) return broker;
    if (situation.broker == BrokerState::gone && situation.stuck_in_spawn)
        return broker + " and a rank of the job is inside MPI_Comm_spawn, which has not returned";
    if (situation.broker == BrokerState::gone && !situation.peers_complete)
        return broker + " and not all hosts of the job hear each other";
    return std::nullopt;
}

void OrphanWatch::update(const Situation& situation, Time now) {
    const auto found = danger(situation);
    if (!found) {
        since_.reset();
        why_.clear();
        return;
    }
    if (!since_) since_ = now;
    why_ = *found;
}

void OrphanWatch::restart(Time now) {
    if (since_) since_ = now;
}

std::optional<Time> OrphanWatch::deadline() const {
    if (!since_) return std::nullopt;
    return *since_ + std::chrono::duration_cast<Time::duration>(limit_);
}

}  // namespace ductile::agent
