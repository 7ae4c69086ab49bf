// What requests for a resize depend on, and what is decided about them. Pure data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "broker/group_effects.hpp"
#include "broker/group_table.hpp"
#include "broker/host_states.hpp"
#include "broker/open_resize.hpp"
#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// The hosts of a job, as its requests need to know them.
struct HostsForRequests {
    core::Allocation all;
    std::map<core::HostIndex, WallTime> revoked;  ///< they are about to be taken back
    std::vector<std::string> failed;              ///< they are not wanted again
    bool come_and_go = false;                     ///< more can be asked for
    std::string no_more;                          ///< why they cannot, now; empty where they can
    bool any_finishing = false;                   ///< agents are on their way to their end
    std::string granted_by;                       ///< for people
};

/// Nothing where there was no resize.
struct SinceResize {
    std::optional<double> seconds;
    std::optional<std::int64_t> points;
};

/// What a job's requests depend on, and do not own.
struct RequestContext {
    enum class Life { starting, recovering, running, ending };

    Life life = Life::running;
    const JobView job;
    const GroupTable& groups;
    const resize::ResizeOperation* open = nullptr;  ///< the resize that is open
    const HostsForRequests hosts;
    SinceResize since;
    core::TransactionId next_id;  ///< of what begins next
    WallTime now;
};

using Respond = std::function<void(const wire::Reply& reply, bool last)>;

struct Answer {
    Respond asker;
    wire::Reply reply;
    bool last = true;
};
/// The request waits for them already. Whether they could be asked for is to be told to
/// ResizeRequests::on_asked().
struct AskForHosts {
    HostNeed need;
    Respond asker;               ///< who hears that they could not be; none: the job does not start
    std::optional<Answer> said;  ///< when they are asked for
    std::string notice;          ///< likewise; empty: none
};
struct WithdrawHosts {
    core::TransactionId wanted_by;
};
/// The job begins with this group.
struct StartWorld {
    core::Group group;
};
/// The resize begins.
struct Accept {
    NextStep asked;
    PlannedResize planned;
    bool may_be_asked_again = true;  ///< where it is called off for a host's sake
};
/// The open resize is called off for a host's sake; then what it was for is asked again.
struct CallOffAndAskAgain {
    std::string why;
};
/// The request is to be taken up again, when what comes before this has been done.
struct TakeUp {
    NextStep asked;
};
/// For the journal: another broker is to know how requests stand now.
struct RecordStep {
    const char* step;
};
/// For the job's records.
struct RecordEvent {
    const char* name;
    nlohmann::json fields;
};

/// To be carried out in this order.
using RequestEffect =
    std::variant<Answer, AskForHosts, WithdrawHosts, StartWorld, Accept, CallOffAndAskAgain, TakeUp,
                 TellResize, NotifyUser, RecordStep, RecordEvent, resize::EndJob>;
using RequestEffects = std::vector<RequestEffect>;

template <class Effect>
void add(RequestEffects& out, Effect effect) {
    out.emplace_back(std::move(effect));
}

}  // namespace ductile::broker
