// The jobs and hosts of all users, as Slurm's commands list them, for policies. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/views.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::rms {

/// A waiting job as `squeue --Format` lists it: id, hosts, the least that it needs of each
/// resource, reasons, tasks of an array, comment, name. Comment and name are texts of users, which
/// may contain the separator. Long texts are cut off.
inline constexpr const char* waiting_format =
    "JobID:|,NumNodes:|,tres-alloc:|,Reason:|,ArrayTaskID:64|,Comment:16|,Name:9";
/// The jobs that wait for hosts, in the order of the lines. Skips jobs that wait for another reason
/// and sidecar jobs of any malleable job. Also skips lines that cannot be read: a job of another
/// user must not stop this job. `cpus_per_host`: the CPUs of the smallest host. squeue shows the
/// most hosts that a job may get. WaitingJob::hosts is the least: 3 for a job that asks for 3 to 5
/// hosts.
std::vector<policy::WaitingJob> parse_waiting_jobs(std::string_view output, int cpus_per_host);

/// The same for waiting jobs of all users, without the texts of users: a comment may contain a
/// newline, and so look like the line of another job.
inline constexpr const char* waiting_format_without_texts =
    "JobID:|,NumNodes:|,tres-alloc:|,Reason:|,ArrayTaskID:64|";

/// A job of any user that waits or runs, as `squeue --Format` lists it: id, user, hosts, state,
/// partition.
inline constexpr const char* site_format = "JobID:|,UserID:|,NumNodes:|,State:|,Partition:|";
struct SiteJob {
    SlurmJob job;
    std::uint32_t user = 0;
    int hosts = 0;
    bool is_waiting = false;
    std::string partition;
    bool operator==(const SiteJob&) const = default;
};
/// In the order of the lines. Lines that cannot be read are left out.
std::vector<SiteJob> parse_site_jobs(std::string_view output);

/// A sidecar as `squeue --Format` lists it: id, comment, name, id. The comment and the name are cut
/// off so that they cannot contain the end of such a line and the beginning of another one.
inline constexpr const char* sidecar_format = "JobID:|,Comment:16|,Name:9|,JobID:|";
/// The jobs that have the comment and the name of a sidecar, by their ids, and the jobs for which
/// they were submitted. Any user can submit such a job: see sidecars_among().
std::map<SlurmJob, SlurmJob> parse_sidecars(std::string_view output);
/// Those of them that are really sidecars: they have one host, and the user and the partition of a
/// running job for which they were submitted.
std::map<SlurmJob, SlurmJob> sidecars_among(const std::vector<SiteJob>& jobs,
                                            const std::map<SlurmJob, SlurmJob>& named);

/// The priority of a job as `squeue` lists it: id, priority, nice value.
inline constexpr const char* priority_format = "%A|%Q|%y";
struct JobPriority {
    policy::WaitingJobId job;
    std::int64_t priority = 0, nice = 0;
    bool operator==(const JobPriority&) const = default;
};
/// In the order of the lines. Lines that cannot be read are left out.
std::vector<JobPriority> parse_priorities(std::string_view output);
/// The nice value of a job, and the nice value that gives the job the highest priority. They are
/// equal if the job already has the highest priority.
struct NiceChange {
    std::int64_t before = 0, raised = 0;
    bool operator==(const NiceChange&) const = default;
};
/// None if Slurm has no such value. Precondition: the job is one of `jobs`, and the job with the
/// highest priority is the first.
std::optional<NiceChange> raised_above(const std::vector<JobPriority>& jobs,
                                       policy::WaitingJobId job);

/// Hosts as `sinfo` counts them: number, state, CPUs of each ("4", or "4+" if they differ).
inline constexpr const char* hosts_format = "%D|%T|%c";
struct SeenHosts {
    int idle = 0;           ///< hosts that answer and are not reserved for another job
    int cpus_per_host = 1;  ///< the CPUs of the smallest host, idle or not
    bool are_equal = true;  ///< all hosts have the same number of CPUs
    bool operator==(const SeenHosts&) const = default;
};
/// Throws InputError that names the line.
SeenHosts parse_hosts(std::string_view output);

}  // namespace ductile::rms
