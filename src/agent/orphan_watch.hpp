// How long an agent without a broker keeps its ranks running. Pure: times come in as arguments.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "agent/broker_health.hpp"

namespace ductile::agent {

struct Situation {
    BrokerState broker = BrokerState::connecting;
    bool peers_complete = false;  ///< all hosts of the job still hear of each other
    bool member_died = false;  ///< a rank of the job has failed, and no broker has said what then
    /// A member here is inside of an MPI_Comm_spawn that keeps its program out of MPI. Perhaps it
    /// does not return at all: the launcher reaches hosts with the broker's help.
    bool stuck_in_spawn = false;
};

/// Counts down while the job is in danger: without a broker the job runs on only while all of it is
/// known to be well.
class OrphanWatch {
  public:
    explicit OrphanWatch(std::chrono::duration<double> limit) : limit_(limit) {}
    void set_limit(std::chrono::duration<double> limit) { limit_ = limit; }

    void update(const Situation& situation, Time now);
    /// This process was stopped for a while: what it did not hear meanwhile says nothing.
    void restart(Time now);
    /// When all is to be ended, unless the situation changes.
    [[nodiscard]] std::optional<Time> deadline() const;
    /// What the countdown is for, as a half sentence.
    [[nodiscard]] const std::string& why() const { return why_; }

  private:
    std::chrono::duration<double> limit_;
    std::optional<Time> since_;
    std::string why_;
};

/// What puts the job in danger, or nothing.
std::optional<std::string> danger(const Situation& situation);

}  // namespace ductile::agent
