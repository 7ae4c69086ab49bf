// Raises the priority of a waiting job of Slurm, and puts it back, by the nice value of the job. So
// Slurm continues to compute the priority. If the priority itself were set, Slurm would not compute
// it any more.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "rms/job_priorities.hpp"
#include "rms/slurm_client.hpp"
#include "rms/slurm_queue.hpp"

namespace ductile::rms {

class SlurmPriorities final : public JobPriorities {
  public:
    /// Is told of a raise before it is carried out, and, without a change, when the job need not be
    /// put back any more.
    using OnChange = std::function<void(policy::WaitingJobId, std::optional<NiceChange>)>;

    explicit SlurmPriorities(SlurmClient& client, OnChange on_change = nullptr)
        : client_(client), on_change_(std::move(on_change)) {}

    /// An earlier object has raised this job. `on_change` is not called.
    void adopt(policy::WaitingJobId job, const NiceChange& change) {
        raised_.try_emplace(job, Nice{change});
    }

    /// Most users have no right to do this. After a refusal, Slurm is not asked again for
    /// `refused_for`. If put_back() is called before the answer, the job is put back, and the
    /// answer is NotRaised.
    static constexpr std::chrono::minutes refused_for{5};
    void raise(policy::WaitingJobId job, OnRaised on_raised) override;
    void put_back(policy::WaitingJobId job) override;
    /// Tries put_back() again for the jobs for which Slurm did not answer.
    void put_back_rest();
    /// The commands that give all jobs that are still raised their former priority.
    [[nodiscard]] std::map<policy::WaitingJobId, SlurmClient::Words> all_back() const;

  private:
    /// `over`: the job is to be put back. `going_back`: a command for that runs.
    enum class State { raised, over, going_back };
    struct Nice {
        NiceChange change;
        State state = State::raised;
    };

    void set(policy::WaitingJobId job, const NiceChange& change, const OnRaised& on_raised);
    void verify(policy::WaitingJobId job, std::int64_t wanted, const OnRaised& on_raised);
    void is_over(policy::WaitingJobId job);
    void forget(policy::WaitingJobId job);
    /// Null if the job is not in the state `going_back`.
    Nice* going_back(policy::WaitingJobId job);
    void on_own_priority(policy::WaitingJobId job, const CommandResult& listing);

    SlurmClient& client_;
    OnChange on_change_;
    std::map<policy::WaitingJobId, Nice> raised_;
    std::set<policy::WaitingJobId> raising_;  ///< without an answer, and wanted
    std::optional<std::chrono::steady_clock::time_point> refused_at_;
};

}  // namespace ductile::rms
