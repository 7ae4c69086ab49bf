// On the first host of a group that spans several: what mpiexec starts on the others.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/local_server.hpp"
#include "wire/agent_messages.hpp"
#include "wire/local_messages.hpp"

namespace ductile::agent {

/// What mpiexec is told about the ranks of a run: `-n 2`; for a group that spans hosts, `-hosts
/// a:2,b:1 -localhost a -genvnone -n 3`. (mpiexec would give the first host's environment to all
/// ranks; without it they have their own host's, from the proxy that the agent there has started.)
std::vector<std::string> rank_arguments(const wire::StartRun& what);

/// The companions through which mpiexec has asked for its proxies; each is let go when the part of
/// the group on its host has ended.
class RemoteParts {
  public:
    explicit RemoteParts(std::vector<wire::WorldHost> world);

    /// The host that is asked for. Throws InputError with the sentence for mpiexec when the group
    /// has no such other host, or when it has been asked for before.
    core::HostIndex ask(const std::shared_ptr<LocalPeer>& companion, const std::string& name);
    void ended(core::HostIndex host, int code);
    /// Lets all companions go: nobody will say when the parts have ended.
    void release();
    [[nodiscard]] bool all_ended() const { return ended_.size() + 1 >= world_.size(); }

  private:
    std::vector<wire::WorldHost> world_;
    std::map<core::HostIndex, std::shared_ptr<LocalPeer>> companions_;
    std::set<core::HostIndex> ended_;
};

/// The last word to a companion.
void answer_companion(const std::shared_ptr<LocalPeer>& companion, int code,
                      const std::string& why);

}  // namespace ductile::agent
