// What a broker that takes a job over gathers before it goes on. Pure.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "broker/snapshot.hpp"
#include "core/contract.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

/// The agents say what runs on their hosts; where a resize was open, the ranks that it began with
/// say what became of it. They decide that among themselves when they lose their broker, so they
/// are waited for until they have (design, section 3, "How ranks agree on the point").
class RecoverySession {
  public:
    explicit RecoverySession(Snapshot known);

    /// What the job's former broker knew.
    [[nodiscard]] const Snapshot& known() const { return known_; }
    /// The resize that was open.
    [[nodiscard]] const resize::ResizePlan* open() const {
        return known_.open ? &known_.open->plan() : nullptr;
    }
    /// News that wait until it is known what became of the open resize: none is ever dropped.
    void defer(std::function<void()> news) { deferred_.push_back(std::move(news)); }
    [[nodiscard]] std::deque<std::function<void()>> take_deferred() {
        return std::exchange(deferred_, {});
    }

    void inventory(core::HostIndex host, const wire::Inventory& inventory);
    void report(core::GroupId group, core::Rank rank, const wire::RankReport& report);
    /// A rank's early vote in the open resize waits for the other ranks'.
    void voting(core::TransactionId transaction) {
        votes_early_ = votes_early_ || (open() != nullptr && open()->id == transaction);
    }
    /// The ranks that the open resize began with are to vote early, for some of them do. The former
    /// broker may have died before it had asked the others.
    [[nodiscard]] bool votes_early() const { return votes_early_; }
    /// A rank has said goodbye, or has ended, since its host's inventory came.
    void ended(core::GroupId group, core::Rank rank);
    /// Its agent has gone. `silent`: without a word of what was there.
    void lost(core::HostIndex host, bool silent);
    [[nodiscard]] bool is_silent(core::HostIndex host) const { return silent_.contains(host); }

    [[nodiscard]] bool is_complete() const;
    /// No rank that the resize began with is waited for any more: they have said what became of it,
    /// or are gone.
    [[nodiscard]] bool is_decided() const { return awaited_.empty() && undecided_.empty(); }
    /// Has the open resize been committed? Precondition: is_decided().
    [[nodiscard]] bool committed() const {
        DUCTILE_EXPECT(is_decided());
        return committed_;
    }
    /// Why the journal cannot be of this job's latest state: what the agents know and it does not.
    /// Nothing when it can.
    [[nodiscard]] const std::optional<std::string>& behind() const { return behind_; }
    /// A leader of the program is in an accept.
    [[nodiscard]] bool accepting() const { return accepting_; }
    [[nodiscard]] bool degraded() const { return degraded_; }
    /// What runs where, of the hosts that have said so.
    [[nodiscard]] const std::map<core::HostIndex, wire::Inventory>& inventories() const {
        return inventories_;
    }
    /// Nothing of the group is on this host. Nobody can say that of a host that is silent: its loss
    /// is told with the other news.
    [[nodiscard]] bool is_absent(core::GroupId group, core::HostIndex host) const;
    /// Whether a job that was starting is a plain MPI program so far: all its ranks were started,
    /// and none has made a Job. What a Job has said to the former broker alone nobody says again.
    [[nodiscard]] bool is_plain_and_started() const;
    /// For messages: who is waited for.
    [[nodiscard]] std::vector<core::HostIndex> silent_hosts() const;
    [[nodiscard]] std::vector<std::pair<core::GroupId, core::Rank>> silent_ranks() const;

  private:
    std::set<core::HostIndex> awaited_;
    Snapshot known_;
    std::deque<std::function<void()>> deferred_;
    std::map<core::HostIndex, wire::Inventory> inventories_;
    std::map<std::pair<core::GroupId, core::Rank>, core::HostIndex> undecided_;
    std::set<core::HostIndex> silent_;  ///< hosts that were lost meanwhile
    std::optional<std::string> behind_;
    bool heard_ = false;  ///< one that it began with has said where it stands
    bool votes_early_ = false;
    bool accepting_ = false, degraded_ = false, committed_ = false;
};

/// The ends that a host's agent knows of, as if it told them now.
std::vector<wire::FromAgent> ends_in(const wire::Inventory& inventory);

}  // namespace ductile::broker
