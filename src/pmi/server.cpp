#include "pmi/server.hpp"

#include "ductile/error.hpp"

namespace ductile::pmi {
namespace {

void label(const KvsName& world, WorldOutbox effects, ServerOutbox& out) {
    for (auto& effect : effects) out.push_back({world, std::move(effect)});
}

}  // namespace

void Server::add(const KvsName& world, const std::set<core::HostIndex>& hosts, Gate gate,
                 Barriers barriers) {
    if (!worlds_.try_emplace(world, hosts, gate, barriers).second)
        throw InputError("there is a world " + world.text() + " already");
}

void Server::remove(const KvsName& world) {
    worlds_.erase(world);
    names_.forget(world);
}

void Server::on(const KvsName& world, core::HostIndex host, const FromHost& message,
                ServerOutbox& out) {
    const auto found = worlds_.find(world);
    if (found == worlds_.end()) return;
    WorldOutbox effects;
    found->second.on(host, message, effects);
    label(world, std::move(effects), out);
}

void Server::on_host_lost(core::HostIndex host, ServerOutbox& out) {
    for (auto& [name, world] : worlds_) {
        WorldOutbox effects;
        world.on_host_lost(host, effects);
        label(name, std::move(effects), out);
    }
}

void Server::release_gate(const KvsName& world, ServerOutbox& out) {
    const auto found = worlds_.find(world);
    if (found == worlds_.end()) return;
    WorldOutbox effects;
    found->second.release_gate(effects);
    label(world, std::move(effects), out);
}

}  // namespace ductile::pmi
