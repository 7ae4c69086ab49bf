#include "rms/slurm_site.hpp"

#include <utility>

#include "ductile/error.hpp"
#include "rms/slurm_commands.hpp"

namespace ductile::rms {

void SlurmSite::look(IsWanted is_wanted, OnSeen on_seen) {
    is_wanted_ = std::move(is_wanted);
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
    client_.run(SlurmCommands::list_sidecars(),
                [this](const CommandResult& sidecars) { on_sidecars(sidecars); });
}

void SlurmSite::on_sidecars(const CommandResult& listing) {
    try {
        seen_.sidecars = sidecars_among(seen_.jobs, parse_sidecars(output_of("squeue", listing)));
    } catch (const Error& error) {
        return end(CannotSee{error.what()});
    }
    for (const auto& one : seen_.jobs)
        if (is_wanted_(one)) partitions_.insert(one.partition);
    next_partition();
}

// The waiting jobs are listed after the hosts. A job that starts between the two listings does not
// wait in the second listing, so nothing is given up for it.
void SlurmSite::next_partition() {
    if (partitions_.empty()) return end(std::move(seen_));
    const auto partition = *partitions_.begin();
    partitions_.erase(partitions_.begin());
    client_.run(SlurmCommands::list_hosts(partition),
                [this, partition](const CommandResult& hosts) { on_hosts(partition, hosts); });
}

void SlurmSite::on_hosts(const std::string& partition, const CommandResult& hosts) {
    try {
        const auto seen = parse_hosts(output_of("sinfo", hosts));
        client_.run(SlurmCommands::list_waiting_of_all(partition),
                    [this, partition, seen](const CommandResult& jobs) {
                        on_waiting(partition, seen, jobs);
                    });
    } catch (const Error& error) {
        seen_.partitions.emplace(partition, CannotSee{error.what()});
        next_partition();
    }
}

void SlurmSite::on_waiting(const std::string& partition, const SeenHosts& hosts,
                           const CommandResult& jobs) {
    try {
        auto waiting = parse_waiting_jobs(first_lines_of("squeue", jobs), hosts.cpus_per_host);
        std::erase_if(waiting, [this](const policy::WaitingJob& one) {
            return seen_.sidecars.contains(SlurmJob{static_cast<std::uint32_t>(one.id.value)});
        });
        seen_.partitions.emplace(partition, policy::ClusterView{hosts.idle, std::move(waiting)});
    } catch (const Error& error) {
        seen_.partitions.emplace(partition, CannotSee{error.what()});
    }
    next_partition();
}

void SlurmSite::end(const Seen& seen) {
    std::exchange(on_seen_, nullptr)(seen);
}

}  // namespace ductile::rms
