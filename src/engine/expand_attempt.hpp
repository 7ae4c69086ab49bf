// One attempt of the sources to join newcomers. A helper thread on each source carries it out.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/parts.hpp"
#include "ductile/schema.hpp"
#include "engine/background_join.hpp"
#include "engine/completion.hpp"
#include "engine/join_steps.hpp"
#include "mpi/abort_trap.hpp"
#include "mpi/bounded_sends.hpp"

namespace ductile::engine {

/// What the helper needs. The helper owns all of it (shared), so that a helper that is stuck in MPI
/// can be left behind.
struct ExpandInputs {
    JoinSide side;
    std::optional<BackgroundJoined> joined{};  ///< the result of a background join, if any
    std::string state;                         ///< pack_join_state, on rank 0
    std::vector<data::Outgoing> arrays;        ///< this rank's old parts
    int sources = 0, newcomers = 0;            ///< numbers of ranks
    bool verify = false;                       ///< whether to verify the data that move
    plan::Memory memory = plan::Memory::keep;  ///< how much memory the move may use
    Schema schema;                             ///< of the program
};

struct ExpandFailure {
    std::string why;
    bool of_program = false;  ///< a callback of the program threw on this rank
    /// The exchange of the leaders has failed. Its receive buffer was on the stack of a function of
    /// MPICH that has returned. MPICH (5.0.2) may still write to that buffer, and may treat its
    /// content as a fatal error.
    bool receive_left = false;
};

/// After an error that was thrown it holds what was made before the error. After a fatal error of
/// MPI (mpi::AbortTrap) it holds only `failure`.
struct ExpandOutcome {
    JoinedSides joined;     ///< all sources, then all newcomers
    JoinState state;        ///< the state of rank 0, as the other ranks received it
    data::Parties parties;  ///< as `state` says
    MemberComms comms;      ///< the job's communicators after the resize; none if this rank leaves
    std::vector<data::Block> parts;
    data::Moved moved;
    double join_s = 0, redistribute_s = 0;
    std::optional<ExpandFailure> failure;
};

class ExpandAttempt : public std::enable_shared_from_this<ExpandAttempt> {
  public:
    ExpandAttempt(ExpandInputs inputs, MpiCalls mpi)
        : inputs_(std::move(inputs)), mpi_(std::move(mpi)) {}

    /// Starts the helper (detached; it keeps this object alive).
    void start();
    /// Wakes the waiting thread: the newcomers are lost.
    void abandon();
    /// Sleeps until the helper has ended, the attempt is abandoned, or no step was made for
    /// `without_progress`. In the last case it abandons the attempt. True if the helper ended in
    /// time. Its outcome is then final.
    bool wait(std::chrono::duration<double> without_progress);
    /// True if the helper ends within `patience`. Otherwise the helper is stuck and this process is
    /// degraded.
    bool ends_within(std::chrono::milliseconds patience) { return work_.ends_within(patience); }

    /// With tight memory, after all ranks voted yes: moves the data in the calling thread and waits
    /// until all ranks have their data. Throws what redistribute() and the program's moves throw.
    /// The data are lost then. Precondition: the helper has ended, and nothing has failed.
    void move_committed();

    /// The helper must have ended.
    [[nodiscard]] ExpandOutcome& outcome() { return work_.outcome(); }
    [[nodiscard]] std::uint64_t steps() const { return progress_.steps(); }
    /// What the helper does now, or did last: "data move".
    [[nodiscard]] const char* part() const { return progress_.part(); }

  private:
    void run() noexcept;
    void join(ExpandOutcome& made);
    void move(ExpandOutcome& made);
    void move_data(ExpandOutcome& made);
    void expect_size(int found) const;
    [[nodiscard]] OwnPart allocation(ExpandOutcome& made) const;
    [[nodiscard]] data::MovedAhead ahead() const;
    void move_own(const mpi::Comm& all, const data::Parties& parties);
    void end(ExpandOutcome outcome);

    const ExpandInputs inputs_;
    const MpiCalls mpi_;
    data::Progress progress_;
    /// The number of steps when the leaders' exchange began. Only the helper uses it.
    std::optional<std::uint64_t> exchange_from_;
    mpi::BoundedSends bounded_;  ///< until the join ends
    Completion<ExpandOutcome> work_;
};

}  // namespace ductile::engine
