#include "cli/workload/slurm_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <optional>

#include "cli/workload/blocking_slurm.hpp"
#include "ductile/error.hpp"
#include "rms/slurm_commands.hpp"

namespace ductile::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr double poll_s = 1;
constexpr auto accounting_limit = 2min;  ///< Slurm sends records of ended jobs every few seconds

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

class BatchRun {
  public:
    BatchRun(const Batch& batch, const Interrupt& interrupt)
        : batch_(batch), interrupt_(interrupt), slurm_(interrupt) {}

    BatchResult run() {
        try {
            cancel_all();
            const auto begin_s = static_cast<std::int64_t>(std::time(nullptr));
            static_cast<void>(slurm_.accounted_since(begin_s));  // throws if there is no accounting
            submit_all();
            wait_for_all();
            return accounted(begin_s);
        } catch (...) {
            cancel_all();
            throw;
        }
    }

  private:
    [[nodiscard]] bool is_sidecar(const std::string& name) const {
        return name.starts_with(rms::sidecar_prefix + batch_.job_prefix);
    }

    /// The jobs of this batch, and their sidecars.
    [[nodiscard]] std::vector<rms::SlurmJob> unfinished(OnInterrupt what) const {
        std::vector<rms::SlurmJob> ours;
        for (const auto& job : slurm_.unfinished(what))
            if (job.name.starts_with(batch_.job_prefix) || is_sidecar(job.name))
                ours.push_back(job.job);
        return ours;
    }

    /// Never throws: if Slurm does not answer, the jobs end at their time limits.
    void cancel_all() const noexcept {
        try {
            slurm_.cancel(unfinished(OnInterrupt::goes_on));
        } catch (const std::exception& error) {
            std::cerr << "ductile: cannot cancel the jobs of this study: " << error.what() << "\n";
        }
    }

    void submit_all() {
        const auto begin = Clock::now();
        for (const auto& job : batch_.jobs) {
            interrupt_.sleep(std::max(0.0, job.submit_s - seconds_since(begin)));
            slurm_jobs_[job.number] = slurm_.submit(job.words);
        }
    }

    void wait_for_all() const {
        const auto begin = Clock::now();
        for (auto left = unfinished(OnInterrupt::ends); !left.empty();
             left = unfinished(OnInterrupt::ends)) {
            if (seconds_since(begin) > batch_.limit_s)
                throw SystemError(fmt::format(
                    "{} jobs have not ended {:.0f} s after the last submission; they are cancelled",
                    left.size(), batch_.limit_s));
            interrupt_.sleep(poll_s);
        }
    }

    /// nullopt until accounting knows the ends of all jobs and sidecars.
    [[nodiscard]] std::optional<BatchResult> try_accounted(std::int64_t begin_s) const {
        const auto all = slurm_.accounted_since(begin_s);
        BatchResult result;
        for (const auto& job : all) {
            if (!is_sidecar(job.name)) continue;
            if (!job.end_s) return std::nullopt;
            result.sidecars.push_back(job);
        }
        for (const auto& [number, slurm_job] : slurm_jobs_) {
            const auto own = std::ranges::find(all, slurm_job, &rms::AccountedJob::job);
            if (own == all.end() || !own->end_s) return std::nullopt;
            result.jobs[number] = *own;
        }
        return result;
    }

    [[nodiscard]] BatchResult accounted(std::int64_t begin_s) const {
        const auto begin = Clock::now();
        while (true) {
            if (auto all = try_accounted(begin_s)) return *all;
            if (Clock::now() - begin > accounting_limit)
                throw SystemError(
                    "Slurm's accounting does not show the end of all jobs within 2 minutes");
            interrupt_.sleep(poll_s);
        }
    }

    const Batch& batch_;
    const Interrupt& interrupt_;
    BlockingSlurm slurm_;
    std::map<workload::JobNumber, rms::SlurmJob> slurm_jobs_;
};

}  // namespace

BatchResult run_batch(const Batch& batch, const Interrupt& interrupt) {
    return BatchRun(batch, interrupt).run();
}

}  // namespace ductile::cli
