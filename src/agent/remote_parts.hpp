// Where an mpiexec runs: its proxies on other hosts.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/local_server.hpp"
#include "wire/agent_messages.hpp"
#include "wire/local_messages.hpp"
#include "wire/proxy_name.hpp"

namespace ductile::agent {

/// What mpiexec is told about the ranks of a run, in the welcome's words: `--host localhost:2 -n
/// 2`; for a group that spans hosts `--host localhost:2,b:1 -n 3`.
std::vector<std::string> rank_arguments(const wire::StartRun& what,
                                        const wire::AgentWelcome& welcome);

/// The companions through which mpiexec has asked for its proxies, of its own group on further
/// hosts, or of groups that its ranks have started; each is let go when the part of the group on
/// its host has ended.
class RemoteParts {
  public:
    RemoteParts(core::GroupId own, std::vector<wire::WorldHost> world);

    /// What is asked for. Throws InputError with the sentence for mpiexec when its group has no
    /// such other host, or when it has been asked for before.
    wire::ProxyWanted ask(const std::shared_ptr<LocalPeer>& companion,
                          const wire::RemoteLaunch& what);
    /// All that has been asked for and has not ended.
    [[nodiscard]] std::vector<wire::ProxyWanted> wanted() const;
    void ended(const wire::ProxyPart& part, int code);
    /// Lets all companions go: nobody will say when the parts have ended.
    void release();
    [[nodiscard]] bool all_ended() const {
        return companions_.empty() && ended_.size() + 1 >= world_.size();
    }
    /// Is there a proxy of another group? mpiexec must not end then.
    [[nodiscard]] bool carries() const;

  private:
    using Key = std::pair<core::GroupId, int>;

    core::GroupId own_;
    std::vector<wire::WorldHost> world_;
    struct Asked {
        std::shared_ptr<LocalPeer> companion;
        std::vector<std::string> argv;
    };
    std::map<Key, Asked> companions_;
    std::set<int> ended_;  ///< parts of the own group
};

/// The last word to a companion.
void answer_companion(const std::shared_ptr<LocalPeer>& companion, int code);

}  // namespace ductile::agent
