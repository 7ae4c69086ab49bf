// ductiled: one policy for the malleable jobs of all users of a Slurm. It holds no hosts: only the
// jobs' brokers ask for hosts and give them back.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/raised_job.hpp"
#include "policy/site.hpp"
#include "rms/slurm_client.hpp"
#include "rms/slurm_priorities.hpp"
#include "rms/slurm_site.hpp"
#include "site/munge.hpp"
#include "site/site_journal.hpp"
#include "site/site_messages.hpp"

namespace ductile::site {

struct SiteSettings {
    std::string address;  ///< where it listens; empty: all addresses of this host
    std::uint16_t port = 0;
    std::string munge_socket;
    policy::SharingKind sharing = policy::SharingKind::natural;
    std::string folder;  ///< for its journal
};

class SiteServer {
  public:
    /// `log`: one line for each thing that a person may want to know. Throws SystemError if it
    /// cannot listen.
    SiteServer(asio::io_context& io, const SiteSettings& settings,
               std::function<void(const std::string&)> log);
    /// Puts back all waiting jobs that are still raised. Each takes 5 s at most.
    ~SiteServer();
    SiteServer(const SiteServer&) = delete;
    SiteServer& operator=(const SiteServer&) = delete;

  private:
    using Reply = std::function<void(const Answer&)>;
    struct Listener;
    struct Waiting {
        std::uint32_t user = 0;
        Ask ask;
        Reply reply;
        std::chrono::steady_clock::time_point asked_at;
    };
    /// A partition of Slurm.
    struct Partition {
        policy::SitePolicy policy;
        policy::RaisedJob raised;
        std::optional<policy::WaitingJobId> wanted;  ///< that the policy wants to be raised
    };
    /// A job that was told to grow.
    struct Growing {
        std::uint32_t user = 0;
        std::string partition;
    };

    void ask(std::uint32_t user, const Ask& ask, Reply reply);
    void look_soon(std::chrono::milliseconds pause);
    void look();
    void on_seen(const std::vector<Waiting>& asking, const rms::SlurmSite::Seen& seen);
    void decide(const Waiting& asking, const rms::SlurmSiteSeen& seen);
    void carry_out(Partition& partition, const Waiting& asking, const policy::Decision& decision);
    void on_raised(Partition& partition, policy::WaitingJobId job, const rms::RaiseAnswer& raised,
                   policy::Decision& decision);
    void raise_sidecars(const rms::SlurmSiteSeen& seen);
    void put_back_each_second();
    void put_back_what_was_raised_before();
    [[nodiscard]] double seconds() const;

    asio::io_context& io_;
    std::function<void(const std::string&)> log_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    policy::SharingKind sharing_;
    SiteJournal journal_;
    rms::SlurmClient client_;
    rms::SlurmSite slurm_{client_};
    rms::SlurmPriorities priorities_;
    Munge munge_;
    asio::steady_timer look_timer_, put_back_timer_, recovery_timer_;
    std::vector<Waiting> waiting_;  ///< questions for the next look
    bool is_looking_ = false;
    std::chrono::steady_clock::time_point looked_at_;
    std::map<std::string, Partition> partitions_;
    std::map<policy::SiteJobId, Growing> growing_;
    std::set<policy::WaitingJobId> raised_sidecars_;
    std::shared_ptr<Listener> listener_;
};

}  // namespace ductile::site
