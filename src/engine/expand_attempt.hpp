// One attempt of the sources to take newcomers in, carried out by a helper thread on each source.
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
#include "engine/join.hpp"
#include "mpi/abort_trap.hpp"
#include "mpi/bounded_sends.hpp"

namespace ductile::engine {

/// What the helper needs. It owns all of it (shared), so that a helper that is stuck in MPI can be
/// left behind.
struct ExpandInputs {
    JoinSide side;
    std::optional<BackgroundJoined> joined{};  ///< what is done already
    std::string state;                         ///< pack_join_state, on rank 0
    std::vector<data::Outgoing> arrays;        ///< this rank's old parts
    int sources = 0, newcomers = 0;            ///< ranks
    bool verify = false;                       ///< what moves
    plan::Memory memory = plan::Memory::keep;  ///< while it moves
    Schema schema;                             ///< the program's
};

struct ExpandFailure {
    std::string why;
    bool of_program = false;  ///< its own callback threw
    /// The leaders' exchange has failed: MPICH (5.0.2) may still fill the receive of it, which was
    /// on the stack of a call that has been left, and take what it finds there for fatal.
    bool receive_left = false;
};

/// After a failure: what was made before it.
struct ExpandOutcome {
    JoinedSides joined;     ///< all sources, then all newcomers
    JoinState state;        ///< rank 0's, as these heard it
    data::Parties parties;  ///< by this state
    MemberComms comms;      ///< the job's afterwards; none on a rank that leaves
    std::vector<data::Block> parts;
    data::Moved moved;
    double join_s = 0, redistribute_s = 0;
    std::optional<ExpandFailure> failure;
};

class ExpandAttempt : public std::enable_shared_from_this<ExpandAttempt> {
  public:
    explicit ExpandAttempt(ExpandInputs inputs) : inputs_(std::move(inputs)) {}

    /// Starts the helper (detached; it keeps this object alive).
    void start();
    /// Wakes whoever waits: the newcomers are lost.
    void abandon();
    /// Sleeps until the helper has ended, the attempt is abandoned, or `without_progress` has
    /// passed without a step. True when the helper ended in time; its outcome is then final.
    bool wait(std::chrono::duration<double> without_progress);
    /// True when the helper ends within `patience`; otherwise it is stuck and this process is
    /// degraded.
    bool ends_within(std::chrono::milliseconds patience) { return work_.ends_within(patience); }

    /// With tight memory, when all have voted yes: moves the data, on the calling thread, and waits
    /// for it. Throws what redistribute() throws, and what the program's moves throw; the data are
    /// lost then. Precondition: the helper has ended, and nothing has failed.
    void move_committed();

    /// Of a helper that has ended.
    [[nodiscard]] ExpandOutcome& outcome() { return work_.outcome(); }
    [[nodiscard]] std::uint64_t steps() const { return progress_.steps(); }
    /// What the helper is at, or was last: "data move".
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
    data::Progress progress_;
    std::optional<std::uint64_t>
        exchange_from_;          ///< the helper's; steps when the leaders' exchange began
    mpi::BoundedSends bounded_;  ///< until the join is over
    Completion<ExpandOutcome> work_;
};

}  // namespace ductile::engine
