// Ranks that leave, and the hosts that are free after them.
#include <fmt/format.h>

#include "broker/broker.hpp"
#include "rms/self.hpp"

namespace ductile::broker {

void Broker::let_leave(const core::Change& change) {
    std::map<HostIndex, std::vector<wire::RangeFields>> by_host;
    for (const auto& range : change.leaving)
        by_host[range.host].push_back(wire::RangeFields{range});
    for (auto& [host, ranges] : by_host) agents_.send(host, wire::RanksLeave{std::move(ranges)});
}

bool Broker::is_on(HostIndex host) const {
    const auto* hello = agents_.hello(host);
    return !rms_->logical() && hello != nullptr && hello->host_name == rms::host_name();
}

bool Broker::is_freed(HostIndex host) const {
    return !agents_.has(host) || (spec_.mpi.keeps_daemons && !groups_.any_rank_on(host));
}

// A host is given back when its agent has gone, or, by this job, to the next resize, which may take
// it before that. Where the MPI's daemon keeps it, it is at least empty.
void Broker::answer_freed() {
    std::set<HostIndex> taken;
    for (const auto host : layout_.hosts()) taken.insert(host);
    if (transaction_)
        for (const auto host : transaction_->after.hosts()) taken.insert(host);
    for (auto& waiting : freeing_)
        std::erase_if(waiting.hosts, [&](HostIndex host) {
            if (taken.contains(host))
                waiting.text += "; the next resize has taken " + host_name(host) + " again";
            else if (is_freed(host) && agents_.has(host))
                waiting.kept += (waiting.kept.empty() ? "" : ", ") + host_name(host);
            return taken.contains(host) || is_freed(host);
        });
    std::erase_if(freeing_, [this](const Freeing& waiting) {
        if (!waiting.hosts.empty()) return false;
        const auto kept =
            waiting.kept.empty()
                ? std::string()
                : fmt::format("; empty, but kept by a daemon of {} until the job ends: {}",
                              spec_.mpi.implementation, waiting.kept);
        waiting.reply(wire::ReplyKind::done, waiting.text + kept);
        return true;
    });
}

}  // namespace ductile::broker
