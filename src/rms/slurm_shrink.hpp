// Slurm takes hosts out of the Slurm job in which a job of Ductile runs. This takes up to three
// commands. The first asks on which hosts job steps run, because Slurm would kill these steps. The
// second takes hosts out. If Slurm refuses, the third asks which hosts are left.
//
// Slurm 24.11.5 can use a whole host that has left only about a second later. It does not look at
// its queue then, but up to bf_interval (30 s) later, if nothing else happens. Any change of a job
// makes it look. So the first two commands are repeated then, with the hosts that the parent still
// has.
#pragma once

#include <asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "rms/slurm_client.hpp"
#include "rms/slurm_commands.hpp"
#include "rms/slurm_parent.hpp"

namespace ductile::rms {

class SlurmShrink {
  public:
    using Notify = std::function<void(const std::string&)>;

    /// The references must outlive this object. `notify_user`: gets messages for a person.
    SlurmShrink(SlurmClient& client, const SlurmCommands& commands, SlurmParent& parent,
                Notify notify_user)
        : client_(client),
          commands_(commands),
          parent_(parent),
          notify_user_(std::move(notify_user)) {}

    /// Begins the first command if a host is to leave, and returns immediately. To be called again
    /// and again while SlurmParent::is_shrinking().
    void go_on();
    /// No further host is taken out. If the second command runs already, its outcome is still
    /// handled.
    void stop() { is_stopped_ = true; }

    /// Between these two calls, no command to take hosts out begins. It would also take out a host
    /// that is just being merged into the parent.
    void hold() { ++holds_; }
    void let_go() { --holds_; }
    /// Whether a host is to leave, or a command that names the hosts of the parent runs. A host
    /// must not be merged into the parent then.
    [[nodiscard]] bool is_busy() const { return is_repeating_ || parent_.is_shrinking(); }

  private:
    void on_steps(const CommandResult& result);
    void on_end(const CommandResult& result);
    void on_shown(const std::string& why_not, const CommandResult& result);
    void repeat_later();
    void repeat();

    SlurmClient& client_;
    const SlurmCommands& commands_;
    SlurmParent& parent_;
    Notify notify_user_;
    bool is_asking_ = false;  ///< the command that asks for job steps runs
    bool is_repeating_ = false;
    bool is_stopped_ = false;
    int holds_ = 0;
    std::optional<asio::steady_timer> timer_;
};

}  // namespace ductile::rms
