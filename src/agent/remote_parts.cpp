#include "agent/remote_parts.hpp"

#include <algorithm>

namespace ductile::agent {

namespace {

void replace_all(std::string& text, std::string_view what, const std::string& by) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

}  // namespace

std::vector<std::string> rank_arguments(const wire::StartRun& what,
                                        const wire::AgentWelcome& welcome) {
    std::string hosts;
    int total = what.world.empty() ? what.ranks : 0;
    for (const auto& host : what.world) {
        hosts += (hosts.empty() ? "" : ",") + host.name + ":" + std::to_string(host.ranks);
        total += host.ranks;
    }
    auto words = what.world.empty() ? welcome.launcher_here : welcome.launcher_further;
    for (auto& word : words) {
        replace_all(word, "{ranks}", std::to_string(total));
        replace_all(word, "{hosts}", hosts);
    }
    return words;
}

RemoteParts::RemoteParts(core::GroupId own, std::vector<wire::WorldHost> world)
    : own_(own), world_(std::move(world)) {}

wire::ProxyWanted RemoteParts::ask(const std::shared_ptr<LocalPeer>& companion,
                                   const wire::RemoteLaunch& what) {
    const auto& name = what.host;
    const auto twice = [&] {
        return InputError("mpiexec wanted to reach the host " + name + " twice: refused");
    };
    if (const auto part = wire::proxy_part(name)) {
        if (!companions_.try_emplace({part->group, part->part}, Asked{companion, what.argv}).second)
            throw twice();
        return {own_, part->group, part->part, what.argv};
    }
    if (world_.empty())
        throw InputError("mpiexec wanted to reach the host " + name +
                         ", but all ranks of its group are on the host of mpiexec: refused");
    // The first host is the one where mpiexec runs.
    const auto it =
        std::ranges::find(world_.begin() + 1, world_.end(), name, &wire::WorldHost::name);
    if (it == world_.end())
        throw InputError("refused: mpiexec tried to reach the host " + name +
                         ", but needs no proxy there for its group");
    const int part = static_cast<int>(it - world_.begin());
    if (ended_.contains(part) ||
        !companions_.try_emplace({own_, part}, Asked{companion, what.argv}).second)
        throw twice();
    return {own_, own_, part, what.argv};
}

std::vector<wire::ProxyWanted> RemoteParts::wanted() const {
    std::vector<wire::ProxyWanted> wanted;
    for (const auto& [part, asked] : companions_)
        wanted.push_back({own_, part.first, part.second, asked.argv});
    return wanted;
}

void RemoteParts::ended(const wire::ProxyPart& part, int code) {
    if (part.group == own_) ended_.insert(part.part);
    const auto it = companions_.find({part.group, part.part});
    if (it == companions_.end()) return;
    answer_companion(it->second.companion, code);
    companions_.erase(it);
}

bool RemoteParts::carries() const {
    return std::ranges::any_of(companions_,
                               [this](const auto& entry) { return entry.first.first != own_; });
}

void RemoteParts::release() {
    for (const auto& [part, asked] : companions_) answer_companion(asked.companion, 0);
    companions_.clear();
}

void answer_companion(const std::shared_ptr<LocalPeer>& companion, int code) {
    companion->send(wire::to_frame(wire::ToRemoteLaunch{wire::RemoteLaunchEnded{code}}));
    companion->close("it has its answer");
}

}  // namespace ductile::agent
