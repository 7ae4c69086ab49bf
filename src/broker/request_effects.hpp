// What resize requests depend on, and the effects that follow from them. Pure data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broker/event_fields.hpp"
#include "broker/group_table.hpp"
#include "broker/host_states.hpp"
#include "broker/open_resize.hpp"
#include "broker/resize_planner.hpp"
#include "broker/shared_effects.hpp"

namespace ductile::broker {

/// The hosts of a job, as its requests need to know them.
struct HostsForRequests {
    core::Allocation all;
    std::map<core::HostIndex, WallTime> revoked;  ///< the resource manager takes them back
    std::vector<std::string> failed;              ///< the job does not want them again
    bool come_and_go = false;                     ///< the job can request and give back hosts
    std::string no_more;         ///< why no more hosts can be requested; empty if they can
    bool any_finishing = false;  ///< the broker waits for the end of agents
    std::string granted_by;      ///< the resource manager, for people
    /// The policy asks only for hosts that no waiting job can use.
    bool policy_spares_waiting_jobs = false;
};

/// The seconds and the resize points since the last resize that JobHistory counts; empty if there
/// was none.
struct SinceResize {
    std::optional<double> seconds;
    std::optional<std::int64_t> points;
};

/// What a job's requests depend on, but do not own.
struct RequestContext {
    enum class Life { starting, recovering, running, ending };

    Life life = Life::running;
    const JobView job;
    const GroupTable& groups;
    const resize::ResizeOperation* open = nullptr;  ///< the open resize
    const HostsForRequests hosts;
    SinceResize since;
    core::TransactionId next_id;  ///< for the next resize or request for hosts
    WallTime now;
};

struct Answer {
    Askers askers;
    Reply reply;
    bool last = true;
};
/// Request hosts. The resize request waits for them already. Tell ResizeRequests::on_asked()
/// whether the hosts could be requested.
struct AskForHosts {
    HostNeed need;
    /// Who is told if the hosts could not be requested; none: the job then does not start.
    std::optional<Askers> askers;
    std::optional<Answer> said;  ///< the answer if the hosts are requested
    std::string notice;          ///< for the user if the hosts are requested; empty: none
};
struct WithdrawHosts {
    core::TransactionId wanted_by;
};
/// Start the job with this group.
struct StartWorld {
    core::Group group;
};
/// Begin the resize.
struct Accept {
    NextStep asked;
    PlannedResize planned;
    bool may_be_asked_again = true;  ///< if the resize is called off because of a host
};
/// Call off the open resize because of a host, and take up its request again.
struct CallOffAndAskAgain {
    std::string why;
};
/// Take up the request again. By then the effects before this one have been carried out.
struct TakeUp {
    NextStep asked;
};
/// Write a journal entry, so that the next broker knows the present requests.
struct RecordStep {
    const char* step;
};
/// Write an event record.
struct RecordEvent {
    const char* name;
    EventFields fields;
};

/// The broker carries these out in order.
using RequestEffect =
    std::variant<Answer, AskForHosts, WithdrawHosts, StartWorld, Accept, CallOffAndAskAgain, TakeUp,
                 TellResize, NotifyUser, RecordStep, RecordEvent, resize::EndJob>;
using RequestEffects = std::vector<RequestEffect>;

template <class Effect>
void add(RequestEffects& out, Effect effect) {
    out.emplace_back(std::move(effect));
}

}  // namespace ductile::broker
