#include "broker/freed_hosts.hpp"

#include <utility>

namespace ductile::broker {

void FreedHosts::wait(std::set<core::HostIndex> hosts, std::string text, Askers askers) {
    waiting_.push_back({std::move(hosts), std::move(text), std::move(askers)});
}

std::vector<FreedHosts::Freed> FreedHosts::check(
    const std::function<Fate(core::HostIndex)>& fate,
    const std::function<std::string(core::HostIndex)>& name) {
    std::vector<Waiting> still;
    std::vector<Freed> freed;
    for (auto& one : std::exchange(waiting_, {})) {
        std::erase_if(one.hosts, [&](core::HostIndex host) {
            const auto found = fate(host);
            if (found == Fate::taken)
                one.text += "; the next resize has taken " + name(host) + " again";
            else if (found == Fate::empty)
                one.kept += (one.kept.empty() ? "" : ", ") + name(host);
            return found != Fate::busy;
        });
        if (!one.hosts.empty()) {
            still.push_back(std::move(one));
            continue;
        }
        const auto kept = one.kept.empty() ? std::string()
                                           : "; empty, but kept by a daemon of " + mpi_ +
                                                 " until the job ends: " + one.kept;
        freed.push_back({std::move(one.askers), one.text + kept});
    }
    waiting_ = std::move(still);
    return freed;
}

}  // namespace ductile::broker
