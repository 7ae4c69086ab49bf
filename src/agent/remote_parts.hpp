// On the host of an mpiexec: the proxies that this mpiexec has requested from Ductile.
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

/// The arguments of mpiexec for the ranks of a run, made from the templates in the welcome. For
/// example `--host localhost:2 -n 2`, or `--host localhost:2,b:1 -n 3` for a group on two hosts.
std::vector<std::string> rank_arguments(const wire::StartRun& what,
                                        const wire::AgentWelcome& welcome);

/// mpiexec requests each proxy through a companion process (remote_launch_main.cpp). The proxies
/// are for the other hosts of its own group, or for groups that its ranks start. A companion gets
/// its answer, and ends, when the part of the group for which it requested a proxy has ended, or by
/// release().
class RemoteParts {
  public:
    RemoteParts(core::GroupId own, std::vector<wire::WorldHost> world);

    /// Takes a request, and returns the requested proxy. The requested host has a made-up name
    /// (wire/proxy_name.hpp), or is a further host of the group of mpiexec. Throws InputError for
    /// any other host, or if the proxy was requested before.
    wire::ProxyWanted ask(const std::shared_ptr<LocalPeer>& companion,
                          const wire::RemoteLaunch& what);
    /// All proxies that were requested and have not ended.
    [[nodiscard]] std::vector<wire::ProxyWanted> wanted() const;
    void ended(const wire::ProxyPart& part, int code);
    /// Lets all companions end: nobody will report the end of their parts.
    void release();
    [[nodiscard]] bool all_ended() const {
        return companions_.empty() && ended_.size() + 1 >= world_.size();
    }
    /// Whether a proxy belongs to another group. Then mpiexec must not end.
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
    std::set<int> ended_;  ///< parts of its own group
};

/// Sends a companion its answer, and closes the connection.
void answer_companion(const std::shared_ptr<LocalPeer>& companion, int code);

}  // namespace ductile::agent
