// The output of Slurm's commands, as values. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocation.hpp"
#include "core/ids.hpp"

namespace ductile::rms {

/// The id of a job of Slurm. A job of Ductile may use the hosts of several Slurm jobs.
using SlurmJob = core::Id<struct SlurmJobTag, std::uint32_t>;

/// Parses "123". Throws InputError for a text that is not the id of a Slurm job.
SlurmJob parse_slurm_job(std::string_view text);
/// Parses the output of `sbatch --parsable`: "123", or "123;cluster".
SlurmJob parse_submitted(std::string_view output);
/// Parses a line of salloc's stderr: "salloc: Granted job allocation 123". None for other lines.
std::optional<SlurmJob> parse_granted(std::string_view line);

struct SlurmVersion {
    int major = 0, minor = 0;  ///< 22 and 5 of "22.05.8"
    auto operator<=>(const SlurmVersion&) const = default;
};
/// Parses the output of `sinfo --version`: "slurm 23.02.7", "slurm-wlm 22.05.8".
SlurmVersion parse_slurm_version(std::string_view output);

/// A job as `scontrol --details --oneliner show job ID` shows it.
struct ShownJob {
    SlurmJob job;
    std::uint32_t user = 0;
    std::string state;
    std::string partition, account, qos;       ///< empty if there is none
    std::optional<std::chrono::seconds> left;  ///< none: no limit, or not known yet
    core::Allocation hosts;    ///< a slot for each CPU of the job; empty unless the job runs
    std::string batch_host;    ///< where its script runs; empty if Slurm does not show this
    bool is_exclusive = true;  ///< the job has whole hosts; also true if Slurm does not show this
};
/// Throws InputError that names the field if a field is missing, has an invalid value or appears
/// twice. A field may appear twice because the line also contains names that users choose, and a
/// name may look like a field.
ShownJob parse_shown_job(std::string_view output);

enum class SlurmPhase { waiting, running, ended, unknown };
/// The phase of a state: PENDING is `waiting`. `unknown`: a state of a later Slurm.
SlurmPhase phase_of(std::string_view state);

/// A job as `squeue` lists it in the format `listed_format`.
struct ListedJob {
    SlurmJob job;
    std::string state;
    int cpus = 0;
    std::string hosts;   ///< in Slurm's short form; empty while the job waits
    std::string reason;  ///< why the job waits or has ended, if known: "Resources"
    bool operator==(const ListedJob&) const = default;
};
inline constexpr const char* listed_format = "%A|%T|%C|%N|%r";
/// Throws InputError that names the line.
std::vector<ListedJob> parse_listed_jobs(std::string_view output);

/// A job step as `squeue --steps` lists it: id, hosts.
inline constexpr const char* steps_format = "%i|%N";
/// The hosts where job steps run. Steps that Slurm itself starts ("12.batch", "12.extern",
/// "12.interactive") do not count.
/// Throws InputError that names the line.
std::set<std::string> parse_step_hosts(std::string_view output);

}  // namespace ductile::rms
