#include "rms/slurm_site.hpp"

#include <utility>

#include "ductile/error.hpp"
#include "rms/slurm_commands.hpp"

namespace ductile::rms {

void SlurmSite::look(std::set<SlurmJob> wanted, OnSeen on_seen) {
    wanted_ = std::move(wanted);
    on_seen_ = std::move(on_seen);
    seen_ = {};
    client_.run(SlurmCommands::list_site(),
                [this](const CommandResult& listing) { on_jobs(listing); });
}

void SlurmSite::on_jobs(const CommandResult& listing) {
    try {
        seen_.jobs = parse_site_jobs(output_of("squeue", listing));
    } catch (const Error& error) {
        return end(CannotSee{error.what()});
    }
    for (const auto& one : seen_.jobs)
        if (wanted_.contains(one.job)) partitions_.insert(one.partition);
    next_partition();
}

// The waiting jobs are listed after the hosts. A job that starts between the two listings does not
// wait in the second listing, so nothing is given up for it.
void SlurmSite::next_partition() {
    if (partitions_.empty()) return end(std::move(seen_));
    const auto partition = *partitions_.begin();
    client_.run(SlurmCommands::list_hosts(partition),
                [this, partition](const CommandResult& hosts) { on_hosts(partition, hosts); });
}

void SlurmSite::on_hosts(const std::string& partition, const CommandResult& hosts) {
    SeenHosts seen;
    try {
        seen = parse_hosts(output_of("sinfo", hosts));
    } catch (const Error& error) {
        return end(CannotSee{error.what()});
    }
    client_.run(SlurmCommands::list_waiting(partition), [this, partition,
                                                         seen](const CommandResult& jobs) {
        try {
            seen_.partitions[partition] = {
                seen.idle, parse_waiting_jobs(first_lines_of("squeue", jobs), seen.cpus_per_host)};
        } catch (const Error& error) {
            return end(CannotSee{error.what()});
        }
        partitions_.erase(partition);
        next_partition();
    });
}

void SlurmSite::end(Seen seen) {
    partitions_.clear();
    std::exchange(on_seen_, nullptr)(seen);
}

}  // namespace ductile::rms
