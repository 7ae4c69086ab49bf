#include "broker/world_servers.hpp"

#include <set>

namespace ductile::broker {

void WorldServers::add(const core::Group& group, const pmi::KvsName& name, pmi::Gate gate,
                       pmi::Barriers barriers) {
    std::set<core::HostIndex> hosts;
    for (const auto& share : group.shares()) hosts.insert(share.host);
    server_.add(name, hosts, gate, barriers);
    names_.emplace(group.id, name);
    groups_.emplace(name, group.id);
}

void WorldServers::remove(core::GroupId group) {
    const auto it = names_.find(group);
    if (it == names_.end()) return;
    server_.remove(it->second);
    groups_.erase(it->second);
    names_.erase(it);
}

void WorldServers::on(core::HostIndex host, const wire::BarrierReached& message, PmiOutbox& out) {
    pass_on(message.group, host,
            pmi::BarrierReached{pmi::BarrierRound{message.round}, wire::to_keys(message.keys)},
            out);
}

void WorldServers::on(core::HostIndex host, const wire::LeftBarriers& message, PmiOutbox& out) {
    pass_on(message.group, host, pmi::LeftBarriers{wire::to_keys(message.keys)}, out);
}

void WorldServers::on(core::HostIndex host, const wire::GateReached& message, PmiOutbox& out) {
    pass_on(message.group, host, pmi::GateReached{}, out);
}

void WorldServers::on(core::HostIndex host, const wire::GateLost& message, PmiOutbox& out) {
    pass_on(message.group, host, pmi::GateLost{pmi::WorldRank{message.rank.value}}, out);
}

void WorldServers::on(core::HostIndex host, const wire::NameAsked& message, PmiOutbox& out) {
    const auto world = names_.find(message.group);
    if (world == names_.end()) return;
    using pmi::answer::NameResult;
    wire::NameAnswer answer{message.group, message.rank, false, {}};
    auto& table = server_.names();
    switch (message.question) {
        case wire::NameQuestion::publish:
            answer.ok =
                table.publish(world->second, message.service, message.port) == NameResult::done;
            break;
        case wire::NameQuestion::unpublish:
            answer.ok = table.unpublish(message.service) == NameResult::done;
            break;
        case wire::NameQuestion::lookup:
            if (auto port = table.lookup(message.service)) {
                answer.ok = true;
                answer.port = std::move(*port);
            }
            break;
    }
    out.emplace_back(HostOrder{host, answer});
}

void WorldServers::on_host_lost(core::HostIndex host, PmiOutbox& out) {
    pmi::ServerOutbox effects;
    server_.on_host_lost(host, effects);
    take(effects, out);
}

void WorldServers::release_gate(core::GroupId group, PmiOutbox& out) {
    const auto world = names_.find(group);
    if (world == names_.end()) return;
    pmi::ServerOutbox effects;
    server_.release_gate(world->second, effects);
    take(effects, out);
}

void WorldServers::pass_on(core::GroupId group, core::HostIndex host, const pmi::FromHost& message,
                           PmiOutbox& out) {
    const auto world = names_.find(group);
    if (world == names_.end()) return;
    pmi::ServerOutbox effects;
    server_.on(world->second, host, message, effects);
    take(effects, out);
}

void WorldServers::take(const pmi::ServerOutbox& effects, PmiOutbox& out) const {
    for (const auto& [world, effect] : effects) {
        const auto group = groups_.at(world);
        std::visit(
            wire::Overloaded{
                [&](const pmi::SendToHost& send) {
                    wire::ToAgent message = wire::OpenGate{group};
                    if (const auto* released = std::get_if<pmi::BarrierReleased>(&send.message))
                        message = wire::BarrierReleased{group, released->round.value,
                                                        wire::to_fields(released->keys)};
                    out.emplace_back(HostOrder{send.host, std::move(message)});
                },
                [&](const pmi::GateReady&) { out.emplace_back(GateReady{group}); },
                [&](const pmi::GateFailed&) { out.emplace_back(GateFailed{group}); },
                [](const pmi::KeyConflict&) {},
            },
            effect);
    }
}

}  // namespace ductile::broker
