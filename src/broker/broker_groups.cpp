// What groups of the job have done, and how it is carried out.
#include "broker/broker.hpp"

namespace ductile::broker {

HostsNow Broker::hosts_now() const {
    HostsNow now{hosts_.table().allocation(), {}, hosts_.logical()};
    for (const auto host : hosts_.agents().hosts())
        if (hosts_.agents().is_up(host)) now.up.insert(host);
    return now;
}

GroupContext Broker::group_context() const {
    return {ledger_, hosts_now(), open_ ? &open_->operation : nullptr};
}

void Broker::start_newcomers() {
    auto& agents = hosts_.agents();
    const auto runs = groups_.start(open_->operation.plan(), streams_.has_input(), hosts_now());
    for (const auto& [host, on_host] : runs) {
        if (!agents.is_up(host)) {
            hosts_.start(host, on_host);
            continue;
        }
        for (const auto& run : on_host) agents.send(host, run);
    }
}

void Broker::carry_out(const GroupEffects& effects) {
    for (const auto& effect : effects)
        std::visit(wire::Overloaded{
                       [this](const HostOrder& e) { hosts_.agents().send(e.host, e.message); },
                       [this](const TellResize& e) {
                           tell(e.event);
                           changed();
                       },
                       [this](const NotifyUser& e) { streams_.notify_user(e.text); },
                       [this](const ChildrenBegin&) {
                           ledger_.use_groups(1);
                           journal_fact("the program starts processes itself");
                       },
                       [this](const RankEnd& e) { act_on(failures_.judge(e)); },
                       [this](const PartEnd& e) { act_on(failures_.judge(e)); },
                   },
                   effect);
}

}  // namespace ductile::broker
