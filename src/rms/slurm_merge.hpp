// Slurm moves the host of a sidecar into the Slurm job in which a job of Ductile runs (the parent).
// This takes five commands. The first shows the host. The next two move it: the sidecar gives it
// up, and the parent takes it. The fourth ends the sidecar, which has no host any more. The fifth
// shows whether the parent has the host.
#pragma once

#include <asio/steady_timer.hpp>
#include <functional>
#include <list>
#include <string>
#include <variant>

#include "core/allocation.hpp"
#include "rms/slurm_client.hpp"
#include "rms/slurm_commands.hpp"

namespace ductile::rms {

class SlurmMerge {
  public:
    /// The parent has this host now.
    struct Merged {
        core::Host host;
    };
    /// Slurm does not show the host of the sidecar yet. Nothing has changed.
    struct NotReady {};
    /// Slurm refuses. The sidecar still has its host.
    struct Refused {
        std::string why;
    };
    /// The sidecar has given its host up, and the parent does not seem to have it. The sidecar is
    /// cancelled.
    struct Lost {
        std::string why;
    };
    using Outcome = std::variant<Merged, NotReady, Refused, Lost>;
    using OnEnd = std::function<void(const Outcome&)>;

    /// The references must outlive this object.
    SlurmMerge(SlurmClient& client, const SlurmCommands& commands)
        : client_(client), commands_(commands) {}

    /// `sidecar`: made by SlurmCommands::allocate() with `is_to_merge`. No job step runs in it.
    /// `on_end` is called once from the event loop.
    void merge(SlurmJob sidecar, OnEnd on_end);

  private:
    void give_up(SlurmJob sidecar, const core::Host& host, const OnEnd& on_end);
    void take(SlurmJob sidecar, const core::Host& host, const OnEnd& on_end);
    /// `tries`: how often Slurm is asked if it does not answer.
    void check(const core::Host& host, int tries, const OnEnd& on_end);
    void check_later(const core::Host& host, int tries, const OnEnd& on_end);

    SlurmClient& client_;
    const SlurmCommands& commands_;
    std::list<asio::steady_timer> pauses_;
};

}  // namespace ductile::rms
