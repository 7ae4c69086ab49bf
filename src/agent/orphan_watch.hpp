// How long an agent without a broker keeps its ranks running. Pure: times come in as arguments.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "agent/broker_health.hpp"

namespace ductile::agent {

struct Situation {
    BrokerState broker = BrokerState::connecting;
    bool peers_complete = false;  ///< PeerMonitor::is_complete(), or only newcomers run here
    bool member_died = false;     ///< a rank has failed, and no broker has decided what to do
    /// A member here is inside an MPI_Comm_spawn that blocks the MPI calls of its other threads.
    /// The spawn may never return, because the launcher needs the broker to reach other hosts.
    bool stuck_in_spawn = false;
};

/// Counts down while the job is in danger (danger()).
class OrphanWatch {
  public:
    explicit OrphanWatch(std::chrono::duration<double> limit) : limit_(limit) {}
    void set_limit(std::chrono::duration<double> limit) { limit_ = limit; }

    void update(const Situation& situation, Time now);
    /// This process was stopped for a while, so the silence of others means nothing: the countdown
    /// begins again.
    void restart(Time now);
    /// When the agent ends everything, unless the situation changes.
    [[nodiscard]] std::optional<Time> deadline() const;
    /// The reason of the countdown, as a clause without a full stop.
    [[nodiscard]] const std::string& why() const { return why_; }

  private:
    std::chrono::duration<double> limit_;
    std::optional<Time> since_;
    std::string why_;
};

/// What puts the job in danger; none if nothing does. While the broker is connected, or has not
/// been reached for the first time, nothing does. Otherwise a failed rank is always a danger, and
/// so is a broker that cannot be reached. If the broker is gone, a rank that is stuck in
/// MPI_Comm_spawn is a danger, too, and so are hosts that do not hear each other.
std::optional<std::string> danger(const Situation& situation);

}  // namespace ductile::agent
