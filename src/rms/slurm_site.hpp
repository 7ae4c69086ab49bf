// All jobs and hosts of a Slurm, for a policy of the whole site.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "policy/views.hpp"
#include "rms/cluster_view.hpp"
#include "rms/slurm_client.hpp"
#include "rms/slurm_queue.hpp"

namespace ductile::rms {

struct SlurmSiteSeen {
    std::vector<SiteJob> jobs;
    std::map<SlurmJob, SlurmJob> sidecars;  ///< and the jobs for which they were submitted
    std::map<std::string, std::variant<policy::ClusterView, CannotSee>> partitions;
};

class SlurmSite {
  public:
    using Seen = std::variant<SlurmSiteSeen, CannotSee>;
    using OnSeen = std::function<void(const Seen&)>;
    using IsWanted = std::function<bool(const SiteJob&)>;

    explicit SlurmSite(SlurmClient& client) : client_(client) {}

    /// Sees all jobs, and the partitions of those that are wanted. `on_seen` is called once, by the
    /// event loop, but not after the client has stopped. Precondition: the last look has ended.
    void look(IsWanted is_wanted, OnSeen on_seen);

  private:
    void on_jobs(const CommandResult& listing);
    void on_sidecars(const CommandResult& listing);
    void next_partition();
    void on_hosts(const std::string& partition, const CommandResult& hosts);
    void on_waiting(const std::string& partition, const SeenHosts& hosts,
                    const CommandResult& jobs);
    void end(const Seen& seen);

    SlurmClient& client_;
    IsWanted is_wanted_;
    OnSeen on_seen_;
    SlurmSiteSeen seen_;
    std::set<std::string> partitions_;  ///< those that are still to be seen
};

}  // namespace ductile::rms
