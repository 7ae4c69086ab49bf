// A process's membership as a program written for MaM has it: it asks for resizes itself, and its
// communicator is replaced at each.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "ductile/job.hpp"
#include "job/mam/configuration.hpp"
#include "job/mam/program_data.hpp"
#include "job/mam/user_phase.hpp"

namespace ductile::mam {

/// Seconds of a resize.
struct Times {
    double spawn = 0;  ///< from the request until the processes met
    double sync = 0;   ///< at the switch, without the program's own moves
    double user = 0;   ///< in the program's own moves
    double all = 0;
};

class Session {
  public:
    /// `comm` becomes the program's own communicator of all members, at each resize another one.
    /// `own_moves` is called in a process that is added, or was parked; all are given one, or none
    /// is.
    /// Collective over the job.
    explicit Session(MPI_Comm* comm, UserFunction own_moves = {});
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() = default;

    [[nodiscard]] bool was_added() const { return !job_->fresh(); }
    [[nodiscard]] Job& job() { return *job_; }
    [[nodiscard]] ProgramData& data() { return *data_; }
    /// Nothing is changed while a resize is under way.
    [[nodiscard]] bool is_pending() const { return pending_; }
    [[nodiscard]] Configuration& configuration() { return configuration_; }
    void set_target(int ranks) { target_ = ranks; }
    [[nodiscard]] const Times& times() const { return times_; }

    enum class Checkpoint {
        not_started,
        denied,  ///< as not_started: what was asked for was refused or given up
        pending,
        completed,
    };
    /// `own_moves` is called in a process that is there already. Does not return in a process that
    /// leaves.
    Checkpoint checkpoint(bool wait, UserFunction own_moves = {});

  private:
    using Clock = std::chrono::steady_clock;

    std::unique_ptr<Job> make_job();
    void begin();
    void ask();
    /// Whether the request has ended without a resize; on all ranks the same.
    [[nodiscard]] bool is_over();
    Checkpoint give_up();
    void complete(Clock::time_point met);
    void give_comm();
    [[noreturn]] void leave();

    /// The program's own moves. Shared with a helper that may outlive the session.
    struct OwnMoves {
        explicit OwnMoves(UserFunction of_new_processes) : of_new(of_new_processes) {}
        UserFunction of_new, of_others;    ///< MAM_Init's, and the last MAM_Checkpoint's
        std::atomic<double> seconds{0.0};  ///< in them, at this resize
    };
    [[nodiscard]] double own_seconds() const { return own_ ? own_->seconds.load() : 0; }

    /// What processes that are added hear.
    struct HandedOn {
        Configuration::Numbers configuration{};
        double spawn = 0;
    };

    MPI_Comm* comm_;
    std::shared_ptr<OwnMoves> own_;  ///< null: MAM_Init was given no function
    std::unique_ptr<Job> job_;       // its constructor may make an own move
    HandedOn handed_on_;
    Replicated<HandedOn> registered_;
    std::unique_ptr<ProgramData> data_;
    Configuration configuration_;
    Times times_;
    int target_ = 0;  ///< 0: none is set
    bool pending_ = false;
    ResizeAnswer answer_;  ///< on rank 0
    Clock::time_point began_;
};

/// As MAM_PENDING, ...
int state_of(Session::Checkpoint checkpoint);

/// From MAM_Init to MAM_Finalize; else null. A program that ends without MAM_Finalize must not wait
/// for others then, so nothing destroys it.
Session*& current_session();

}  // namespace ductile::mam
