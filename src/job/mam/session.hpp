// A process's membership as a program written for MaM has it: it asks for resizes itself, and its
// communicator is replaced at each.
#pragma once

#include <mpi.h>

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
    /// `own_moves` is called in a process that is added, if all processes are given one.
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

    /// What processes that are added hear.
    struct HandedOn {
        Configuration::Numbers configuration{};
        double spawn = 0;
    };

    MPI_Comm* comm_;
    bool moves_own_data_;       ///< as MAM_Init says; on all processes the same
    UserFunction own_moves_;    ///< of the present call
    double own_seconds_ = 0;    ///< in them, at this resize
    std::unique_ptr<Job> job_;  // its constructor may call own_moves_
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
