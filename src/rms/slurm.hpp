// Hosts from Slurm: the hosts of the Slurm job in which `ductile run` runs (the parent), and the
// hosts of sidecars, which are further Slurm jobs of one host each (docs/resource-managers.md).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "rms/resource_manager.hpp"
#include "rms/slurm_output.hpp"
#include "rms/slurm_parent.hpp"

namespace ductile::rms {

struct SlurmSettings {
    std::string job;          ///< the id of the job of `ductile run`
    ShownJob parent;          ///< the Slurm job whose hosts this job uses
    core::Allocation held;    ///< the hosts that the job has already; for a new job: the parent's
    int most_slots = 0;       ///< the most slots of a host that the job uses; 0: no limit
    bool taken_over = false;  ///< another broker had the job, and may have left sidecars
    SlurmVersion version = {};
    ShrinkParent shrink_parent = ShrinkParent::automatic;
    bool merges = false;  ///< hosts of sidecars are merged into the parent, if this Slurm can do it
};

struct FoundSlurmJob {
    ShownJob job;
    SlurmVersion version;  ///< of the Slurm that has this job
};

/// Asks Slurm about a job, by two commands of 5 s at most. Throws SystemError when Slurm does not
/// answer, is older than 20.11, or has no such job. Throws InputError when the job belongs to
/// another user or does not run, and when an answer of Slurm cannot be parsed.
FoundSlurmJob find_slurm_job(SlurmJob job);
/// The same for a job that Slurm has shown before. While Slurm does not answer, this asks again for
/// at most `patience`, because slurmctld may be restarting.
FoundSlurmJob find_known_slurm_job(SlurmJob job, std::chrono::seconds patience);

/// When the resource manager is destroyed after end(), it gives raised jobs their former priority
/// and cancels all sidecars. Each command for that takes 5 s at most.
std::unique_ptr<ResourceManager> make_slurm(SlurmSettings settings);

}  // namespace ductile::rms
