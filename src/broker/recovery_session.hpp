// What a broker that takes a job over gathers before it continues the job. Pure.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broker/asker.hpp"
#include "broker/snapshot.hpp"
#include "core/contract.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

/// Events that wait until the outcome of the open resize is known.
namespace deferred {
struct AgentLost {
    core::HostIndex host;
    std::string why;
};
struct AgentGone {
    core::HostIndex host;
};
struct AgentMessage {
    core::HostIndex host;
    wire::FromAgent message;
};
struct Awaited {
    core::TransactionId resize;
    Asker asker;
};
using Any = std::variant<AgentLost, AgentGone, AgentMessage, Awaited>;
}  // namespace deferred

/// The agents report what runs on their hosts. If a resize was open, its sources report the outcome
/// of the resize. Ranks that lose their broker decide about the outcome among themselves. So the
/// session waits for their reports (docs/architecture.md, "How ranks agree on the point").
class RecoverySession {
  public:
    explicit RecoverySession(Snapshot known);

    /// What the former broker of the job knew.
    [[nodiscard]] const Snapshot& known() const { return known_; }
    /// The resize that was open; null if there was none.
    [[nodiscard]] const resize::ResizePlan* open() const {
        return known_.open ? &known_.open->plan() : nullptr;
    }
    /// Keeps an event for take_deferred(). No event is ever dropped.
    void defer(deferred::Any event) { deferred_.push_back(std::move(event)); }
    [[nodiscard]] std::deque<deferred::Any> take_deferred() { return std::exchange(deferred_, {}); }

    void inventory(core::HostIndex host, const wire::Inventory& inventory);
    void report(core::GroupId group, core::Rank rank, const wire::RankReport& report);
    /// A rank has voted early in the open resize, and waits for the votes of the other ranks.
    void voting(core::TransactionId transaction) {
        votes_early_ = votes_early_ || (open() != nullptr && open()->id == transaction);
    }
    /// Whether the sources of the open resize must vote early: some of them do, and perhaps the
    /// former broker died before it had asked the other sources.
    [[nodiscard]] bool votes_early() const { return votes_early_; }
    /// A rank has said goodbye, or has ended: the session waits for no report of this rank.
    void ended(core::GroupId group, core::Rank rank);
    /// The agent of this host is lost or gone. `silent`: it is lost.
    void lost(core::HostIndex host, bool silent);
    [[nodiscard]] bool is_silent(core::HostIndex host) const { return silent_.contains(host); }

    /// The hosts that were lost meanwhile.
    [[nodiscard]] const std::set<core::HostIndex>& lost_hosts() const { return silent_; }

    /// Whether the recovery can be settled before its time limit: is_decided(), and if the open
    /// resize replaces all ranks, a source has reported or the resize was committed.
    [[nodiscard]] bool is_complete() const;
    /// The session waits for no report any more. Each host has sent its inventory, or its agent is
    /// lost or gone. Each source of the open resize has reported the outcome, or is gone.
    [[nodiscard]] bool is_decided() const { return awaited_.empty() && undecided_.empty(); }
    /// Whether the open resize was committed. Precondition: is_decided().
    [[nodiscard]] bool committed() const {
        DUCTILE_EXPECT(is_decided());
        return committed_;
    }
    /// What shows that the journal is older than the state of the job: something that an agent
    /// knows and the journal does not. None if there is no such thing.
    [[nodiscard]] const std::optional<std::string>& behind() const { return behind_; }
    /// The leader of the program is inside an accept.
    [[nodiscard]] bool accepting() const { return accepting_; }
    [[nodiscard]] bool degraded() const { return degraded_; }
    /// What runs on each host that has sent its inventory.
    [[nodiscard]] const std::map<core::HostIndex, wire::Inventory>& inventories() const {
        return inventories_;
    }
    /// Whether no process of the group is on this host. False for a silent host, because nobody
    /// knows: its loss is one of the deferred events.
    [[nodiscard]] bool is_absent(core::GroupId group, core::HostIndex host) const;
    /// Whether a job that was starting is a plain MPI program so far: all ranks were started, and
    /// no rank has made a Job. A Job does not repeat what it has told the former broker.
    [[nodiscard]] bool is_plain_and_started() const;
    /// For messages to the user: the hosts and the ranks for which the session still waits. (A host
    /// for which is_silent() is true is not among them: it is lost.)
    [[nodiscard]] std::vector<core::HostIndex> silent_hosts() const;
    [[nodiscard]] std::vector<std::pair<core::GroupId, core::Rank>> silent_ranks() const;

  private:
    std::set<core::HostIndex> awaited_;
    Snapshot known_;
    std::deque<deferred::Any> deferred_;
    std::map<core::HostIndex, wire::Inventory> inventories_;
    std::map<std::pair<core::GroupId, core::Rank>, core::HostIndex> undecided_;
    std::set<core::HostIndex> silent_;  ///< hosts that were lost meanwhile
    std::optional<std::string> behind_;
    bool heard_ = false;  ///< a source of the open resize has sent its report
    bool votes_early_ = false;
    bool accepting_ = false, degraded_ = false, committed_ = false;
};

/// The ends that are in an inventory, as the messages that report them.
std::vector<wire::FromAgent> ends_in(const wire::Inventory& inventory);

}  // namespace ductile::broker
