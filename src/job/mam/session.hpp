// The membership of a process in a program written for MaM. The program itself requests resizes,
// and gets a new communicator at each.
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

/// Times of a resize, in seconds.
struct Times {
    double spawn = 0;  ///< from the request until the processes join
    double sync = 0;   ///< in the switch, without the program's own moves
    double user = 0;   ///< in the program's own moves
    double all = 0;
};

class Session {
  public:
    /// `comm` becomes the program's own communicator of all members. Each resize replaces it.
    /// Ductile calls `own_moves` in a process that is added, or was parked. Either all processes
    /// pass a function, or none does. Collective over the job.
    explicit Session(MPI_Comm* comm, UserFunction own_moves = {});
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() = default;

    [[nodiscard]] bool was_added() const { return !job_->fresh(); }
    [[nodiscard]] Job& job() { return *job_; }
    [[nodiscard]] ProgramData& data() { return *data_; }
    /// True while a resize that the program requested is under way. Settings must not change
    /// meanwhile.
    [[nodiscard]] bool is_pending() const { return pending_; }
    [[nodiscard]] Configuration& configuration() { return configuration_; }
    void set_target(int ranks) { target_ = ranks; }
    [[nodiscard]] const Times& times() const { return times_; }

    enum class Checkpoint {
        not_started,
        denied,  ///< not started, because the request was refused or given up
        pending,
        completed,
    };
    /// Ductile calls `own_moves` in a process that is a member before the resize. Does not return
    /// in a process that leaves.
    Checkpoint checkpoint(bool wait, UserFunction own_moves = {});

  private:
    using Clock = std::chrono::steady_clock;

    std::unique_ptr<Job> make_job();
    void begin();
    void ask();
    /// Whether the request has ended without a resize. The result is the same on all ranks.
    [[nodiscard]] bool is_over();
    Checkpoint give_up();
    void complete(Clock::time_point met);
    void give_comm();
    [[noreturn]] void leave();

    /// The program's own moves. Shared with a helper that may outlive the session.
    struct OwnMoves {
        explicit OwnMoves(UserFunction of_new_processes) : of_new(of_new_processes) {}
        UserFunction of_new, of_others;    ///< given to MAM_Init, and to the last MAM_Checkpoint
        std::atomic<double> seconds{0.0};  ///< time spent in them at this resize
    };
    [[nodiscard]] double own_seconds() const { return own_ ? own_->seconds.load() : 0; }

    /// What added processes receive.
    struct HandedOn {
        Configuration::Numbers configuration{};
        double spawn = 0;
    };

    MPI_Comm* comm_;
    std::shared_ptr<OwnMoves> own_;  ///< null: MAM_Init was given no function
    std::unique_ptr<Job> job_;       // its constructor may call a function of own_
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

/// The checkpoint as a state of MaM: MAM_PENDING, ...
int state_of(Session::Checkpoint checkpoint);

/// Set between MAM_Init and MAM_Finalize, else null. Nothing destroys the session at exit: a
/// program that ends without MAM_Finalize must not wait for other processes.
Session*& current_session();

}  // namespace ductile::mam
