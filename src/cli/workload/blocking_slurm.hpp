// Slurm for a study: submits jobs, lists them, cancels them. Each function waits for its command,
// and each command has a deadline.
#pragma once

#include <string>
#include <vector>

#include "cli/interrupt.hpp"
#include "rms/command_environment.hpp"
#include "rms/slurm_accounting.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::cli {

/// Whether Ctrl-C ends a command. The function that waits for the command then throws Interrupted.
enum class OnInterrupt { ends, goes_on };

class BlockingSlurm {
  public:
    /// `interrupt` outlives this object.
    explicit BlockingSlurm(const Interrupt& interrupt) : interrupt_(interrupt) {}

    /// `words`: an sbatch command that prints the number of the job. The job gets the environment
    /// of this process, without variables of launchers and of sbatch. Throws SystemError with what
    /// sbatch said. Ctrl-C does not end sbatch: otherwise a job with an unknown number could stay
    /// in the queue.
    [[nodiscard]] rms::SlurmJob submit(const std::vector<std::string>& words) const;
    /// The jobs of this user that wait, run or are completing.
    [[nodiscard]] std::vector<rms::QueuedJob> unfinished(OnInterrupt what) const;
    /// All jobs of this user that accounting knows and that were submitted at or after this time
    /// (seconds since 1970). Ctrl-C ends the command. Throws SystemError if the Slurm has no
    /// accounting.
    [[nodiscard]] std::vector<rms::AccountedJob> accounted_since(std::int64_t begin_s) const;
    /// Throws InputError if the hosts have different numbers of CPUs. Ctrl-C ends the command.
    [[nodiscard]] int cpus_per_host() const;
    /// Ctrl-C does not end the command.
    void cancel(const std::vector<rms::SlurmJob>& jobs) const;

  private:
    [[nodiscard]] std::string ask(const std::vector<std::string>& words, OnInterrupt what,
                                  rms::Environment environment) const;

    const Interrupt& interrupt_;
};

}  // namespace ductile::cli
