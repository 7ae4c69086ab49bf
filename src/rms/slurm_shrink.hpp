// Slurm takes hosts out of the Slurm job in which a job of Ductile runs. This takes up to three
// commands. The first asks on which hosts job steps run, because Slurm would kill these steps. The
// second takes hosts out. If Slurm refuses, the third asks which hosts are left.
#pragma once

#include <functional>
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

  private:
    void on_steps(const CommandResult& result);
    void on_end(const CommandResult& result);
    void on_shown(const std::string& why_not, const CommandResult& result);

    SlurmClient& client_;
    const SlurmCommands& commands_;
    SlurmParent& parent_;
    Notify notify_user_;
    bool is_asking_ = false;  ///< the command that asks for job steps runs
    bool is_stopped_ = false;
};

}  // namespace ductile::rms
