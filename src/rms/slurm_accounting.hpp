// The Slurm jobs of a user, with their names: in the queue, and in Slurm's accounting. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rms/slurm_output.hpp"

namespace ductile::rms {

/// A job that has not ended.
struct QueuedJob {
    SlurmJob job;
    std::string state;  ///< "PENDING", "RUNNING", "COMPLETING"
    std::string name;
    bool operator==(const QueuedJob&) const = default;
};

/// From start_s to end_s the job had this number of hosts. Times are in seconds since 1970.
struct HeldHosts {
    int hosts = 0;
    std::int64_t start_s = 0, end_s = 0;
    bool operator==(const HeldHosts&) const = default;
};
struct AccountedJob {
    SlurmJob job;
    std::string name;
    std::string state;  ///< "COMPLETED", "CANCELLED by 0"
    int hosts = 0;      ///< at its end, or now; for the time before: `earlier`
    std::int64_t submit_s = 0;
    std::optional<std::int64_t> start_s, end_s;  ///< none: the job has not started, or not ended
    std::vector<HeldHosts> earlier = {};  ///< one before each change of its hosts, oldest first
    bool operator==(const AccountedJob&) const = default;
};

/// The format of `squeue`.
inline constexpr const char* queued_format = "%A|%T|%j";
/// Throws InputError that names the line.
std::vector<QueuedJob> parse_queued_jobs(std::string_view output);

/// The format of `sacct` with --parsable2, --noheader, --allocations and the time format %s.
inline constexpr const char* accounted_format = "JobIDRaw,State,NNodes,Submit,Start,End,JobName";
/// If the number of hosts of a job changed, Slurm has one more line for each change. These lines
/// become one AccountedJob. Throws InputError that names the line.
std::vector<AccountedJob> parse_accounted_jobs(std::string_view output);

}  // namespace ductile::rms
