// The history of a job, from its event records (docs/events.md).
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ductile::report {

/// The progress of the program at a moment. Times are in seconds since the start of the job.
struct Pace {
    double at_s = 0;
    std::int64_t points = 0;  ///< resize points passed, which are iterations
    double clock_s = 0;       ///< the monotonic clock of rank 0's host
    int ranks = 0;
};

struct Resize {
    double at_s = 0;  ///< when it ended
    int from = 0;
    int to = 0;
    std::vector<std::string> hosts_before;
    std::vector<std::string> hosts_after;
    std::string kind;     ///< "expand", "shrink" or "replace"
    std::string outcome;  ///< "done" or "rolled_back"
    std::map<std::string, double> since_accepted_s;
    double total_s = 0;
    /// The longest time that any rank waited, and its parts (each the longest time on any rank).
    double stall_s = 0, vote_s = 0, join_s = 0, redistribute_s = 0, commit_s = 0, rebuild_s = 0;
    std::int64_t bytes_sent = 0;

    [[nodiscard]] double accepted_at_s() const { return at_s - total_s; }
};

struct HostFree {
    double at_s = 0;
    std::string host;
};

/// A check of the run, and its result.
struct Check {
    std::string name;
    bool ok = false;
    std::string text;
};

struct Timeline {
    std::string job, mpi, hosts_from;
    std::vector<std::string> program;
    int ranks = 0;  ///< at the start
    int hosts = 0;
    double running_at_s = 0;
    double ended_at_s = 0;  ///< the time of the last record if the job has not ended
    bool ended = false;
    int exit_code = 0;
    std::vector<Pace> paces;
    std::vector<Resize> resizes;
    std::vector<HostFree> freed;
    std::vector<Check> checks;
    std::vector<std::pair<std::string, std::string>> machine;  ///< names and values
};

/// Reads JSON lines. Skips unknown events, and an incomplete last line. Throws InputError with the
/// number of the line for a line that is no record, and if there is no `job_started`.
Timeline read_timeline(std::istream& records);

}  // namespace ductile::report
