#include "cli/workload/job_record.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "rms/slurm_commands.hpp"

namespace ductile::cli {
namespace {

/// How many hosts the job and its sidecars hold together, and from when on.
std::vector<workload::HostsHeld> hosts_held(const rms::AccountedJob& own,
                                            const std::vector<rms::AccountedJob>& sidecars) {
    std::map<std::int64_t, int> changes;
    const auto add = [&changes](const rms::AccountedJob& job) {
        if (!job.start_s || !job.end_s) return;
        auto held = job.earlier;
        held.push_back({job.hosts, held.empty() ? *job.start_s : held.back().end_s, *job.end_s});
        for (const auto& [number, start_s, end_s] : held) {
            if (end_s <= start_s) continue;
            changes[start_s] += number;
            changes[end_s] -= number;
        }
    };
    add(own);
    for (const auto& sidecar : sidecars) add(sidecar);
    std::vector<workload::HostsHeld> held;
    int hosts = 0;
    for (const auto& [time, change] : changes) {
        if (change == 0) continue;
        hosts += change;
        held.push_back({static_cast<double>(time), hosts});
    }
    if (!held.empty()) held.pop_back();  // the end, with 0 hosts
    return held;
}

double between(const std::map<std::string, double>& marks, const char* from, const char* to) {
    const auto begin = marks.find(from), end = marks.find(to);
    return begin == marks.end() || end == marks.end() ? 0
                                                      : std::max(0.0, end->second - begin->second);
}

workload::ResizeRecord resize_record(const report::Resize& resize,
                                     const std::vector<report::Pace>& paces,
                                     const Configuration& configuration) {
    workload::ResizeRecord record;
    record.method = configuration.method;
    record.old_hosts = static_cast<int>(resize.hosts_before.size());
    record.new_hosts = static_cast<int>(resize.hosts_after.size());
    record.total_s = resize.total_s;
    record.spawn_s = between(resize.since_accepted_s, "launched", "ready");
    record.redistribution_s = resize.redistribute_s;
    record.stall_s = resize.stall_s;
    if (configuration.overlap == plan::Overlap::background)
        record.overlapped_iterations =
            static_cast<int>(std::lround(iterations_at(paces, resize.at_s - resize.stall_s) -
                                         iterations_at(paces, resize.accepted_at_s())));
    return record;
}

}  // namespace

double iterations_at(const std::vector<report::Pace>& paces, double at_s) {
    const auto next =
        std::ranges::find_if(paces, [at_s](const report::Pace& pace) { return pace.at_s >= at_s; });
    if (next == paces.end()) return paces.empty() ? 0 : static_cast<double>(paces.back().points);
    if (next == paces.begin()) return static_cast<double>(next->points);
    const auto& before = *std::prev(next);
    const double share = (at_s - before.at_s) / (next->at_s - before.at_s);
    return static_cast<double>(before.points) +
           share * static_cast<double>(next->points - before.points);
}

std::vector<rms::AccountedJob> sidecars_of(const std::string& name,
                                           const std::vector<rms::AccountedJob>& jobs) {
    std::vector<rms::AccountedJob> sidecars;
    for (const auto& job : jobs)
        if (job.name.starts_with(rms::sidecar_prefix + name + "-")) sidecars.push_back(job);
    return sidecars;
}

workload::JobRecord job_record(workload::JobNumber number, const std::string& class_name,
                               const rms::AccountedJob& own,
                               const std::vector<rms::AccountedJob>& sidecars,
                               const std::optional<report::Timeline>& history,
                               const Configuration& configuration) {
    workload::JobRecord record;
    record.class_name = class_name;
    record.number = number;
    record.submit_s = static_cast<double>(own.submit_s);
    record.end_s = static_cast<double>(own.end_s.value_or(own.submit_s));
    record.start_s = own.start_s ? static_cast<double>(*own.start_s) : record.end_s;
    record.hosts = hosts_held(own, sidecars);
    for (const auto& sidecar : sidecars)
        if (sidecar.start_s && sidecar.end_s)
            record.end_s = std::max(record.end_s, static_cast<double>(*sidecar.end_s));
    if (history)
        for (const auto& resize : history->resizes)
            if (resize.outcome == "done")
                record.resizes.push_back(resize_record(resize, history->paces, configuration));
    record.succeeded = own.state == "COMPLETED";
    return record;
}

}  // namespace ductile::cli
