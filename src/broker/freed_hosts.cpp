#include "broker/freed_hosts.hpp"

#include <utility>

namespace ductile::broker {

void FreedHosts::wait(std::set<core::HostIndex> hosts, std::string text, Answer answer) {
    waiting_.push_back({std::move(hosts), std::move(text), std::move(answer)});
}

void FreedHosts::check(const std::function<Fate(core::HostIndex)>& fate,
                       const std::function<std::string(core::HostIndex)>& name) {
    std::vector<Waiting> still;
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
        one.answer(one.text + kept);
    }
    // An answer may have brought others.
    waiting_.insert(waiting_.begin(), std::make_move_iterator(still.begin()),
                    std::make_move_iterator(still.end()));
}

}  // namespace ductile::broker
