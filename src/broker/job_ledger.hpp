// The state of a job: which ranks run where, and what the job has used up so far. Pure.
#pragma once

#include <algorithm>
#include <utility>

#include "broker/resize_planner.hpp"
#include "broker/snapshot.hpp"
#include "core/contract.hpp"
#include "core/layout.hpp"

namespace ductile::broker {

class JobLedger {
  public:
    JobLedger() = default;
    /// The ledger of a former broker.
    explicit JobLedger(const Snapshot& known)
        : layout_(known.layout),
          given_back_(known.given_back),
          next_group_(known.next_group),
          mpi_worlds_seen_(known.mpi_worlds_seen),
          next_transaction_(known.next_transaction),
          health_(static_cast<Health>(known.health)) {}

    [[nodiscard]] const core::Layout& layout() const { return layout_; }
    /// The job's rank 0. Precondition: the layout is not empty.
    [[nodiscard]] core::Process leader() const {
        DUCTILE_EXPECT(layout_.size() > 0);
        return layout_.at(core::Rank{0});
    }
    [[nodiscard]] core::HostIndex leader_host() const { return layout_.host_of(core::Rank{0}); }
    /// The slots given back by `ductile resize --release HOST:RANKS`.
    [[nodiscard]] const core::SlotCounts& given_back() const { return given_back_; }
    [[nodiscard]] Health health() const { return health_; }
    [[nodiscard]] int next_group() const { return next_group_; }
    /// The number of MPI worlds that the oldest members have seen.
    [[nodiscard]] int mpi_worlds_seen() const { return mpi_worlds_seen_; }
    /// The id of the next resize, or of the next request for hosts.
    [[nodiscard]] core::TransactionId next_transaction() const {
        return core::TransactionId{next_transaction_};
    }

    /// Sets the first layout of the job.
    void begin(core::Layout layout) { layout_ = std::move(layout); }
    void commit(const resize::ResizePlan& plan) {
        layout_ = plan.after;
        given_back_ = plan.given_back;
    }
    /// `count` groups are about to be started. Each group is a world.
    void use_groups(int count) {
        next_group_ += count;
        mpi_worlds_seen_ += count;
    }
    /// All ranks are new. They have seen `worlds` worlds.
    void replace_all(int worlds) { mpi_worlds_seen_ = worlds; }
    void use_transaction(core::TransactionId id) { next_transaction_ = id.value + 1; }
    /// The resize did not begin: the next one gets its id.
    void take_back(core::TransactionId id) { next_transaction_ = id.value; }
    void set_health(Health health) { health_ = health; }

  private:
    core::Layout layout_;
    core::SlotCounts given_back_;
    int next_group_ = 0;
    int mpi_worlds_seen_ = 0;
    int next_transaction_ = 1;
    Health health_ = Health::good;
};

}  // namespace ductile::broker
