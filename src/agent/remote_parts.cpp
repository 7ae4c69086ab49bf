#include "agent/remote_parts.hpp"

#include <algorithm>

namespace ductile::agent {

std::vector<std::string> rank_arguments(const wire::StartRun& what) {
    if (what.world.empty()) return {"-n", std::to_string(what.ranks)};
    std::string hosts;
    int total = 0;
    for (const auto& host : what.world) {
        hosts += (hosts.empty() ? "" : ",") + host.name + ":" + std::to_string(host.ranks);
        total += host.ranks;
    }
    return {"-hosts",    hosts, "-localhost",         what.world.front().name,
            "-genvnone", "-n",  std::to_string(total)};
}

RemoteParts::RemoteParts(std::vector<wire::WorldHost> world) : world_(std::move(world)) {}

core::HostIndex RemoteParts::ask(const std::shared_ptr<LocalPeer>& companion,
                                 const std::string& name) {
    if (world_.empty())
        throw InputError("mpiexec wanted to reach the host " + name +
                         ": Ductile starts each group on its own host, and refuses");
    const auto it = std::ranges::find(world_, name, &wire::WorldHost::name);
    if (it == world_.end())
        throw InputError("mpiexec wanted to reach the host " + name +
                         ", on which its group has no ranks: refused");
    if (it == world_.begin())
        throw InputError("mpiexec does not know that " + name +
                         " is the host it runs on: this name cannot be resolved there; list the "
                         "host by another name or by its address");
    if (companions_.contains(it->host) || ended_.contains(it->host))
        throw InputError("mpiexec wanted to reach the host " + name + " twice: refused");
    companions_[it->host] = companion;
    return it->host;
}

void RemoteParts::ended(core::HostIndex host, int code) {
    ended_.insert(host);
    const auto it = companions_.find(host);
    if (it == companions_.end()) return;
    answer_companion(it->second, code, "");
    companions_.erase(it);
}

void RemoteParts::release() {
    for (const auto& [host, companion] : companions_) answer_companion(companion, 0, "");
    companions_.clear();
}

void answer_companion(const std::shared_ptr<LocalPeer>& companion, int code,
                      const std::string& why) {
    companion->send(wire::to_frame(wire::ToRemoteLaunch{wire::RemoteLaunchEnded{code, why}}));
    companion->close("it has its answer");
}

}  // namespace ductile::agent
