#include "cli/doctor/local_worlds.hpp"

#include <algorithm>
#include <utility>

#include "core/overloaded.hpp"
#include "pmi/process_mapping.hpp"

namespace ductile::cli {
namespace {

constexpr core::HostIndex here{0};

}  // namespace

WorldNumber LocalWorlds::add(const pmi::KvsName& name, int ranks) {
    pmi::WorldOptions options{name, ranks, {}, {}, pmi::Gate::open};
    for (int rank = 0; rank < ranks; ++rank) options.ranks.push_back({pmi::WorldRank{rank}, 0});
    return add(name, std::move(options), std::nullopt);
}

WorldNumber LocalWorlds::add_spawned(const pmi::KvsName& name, const SpawnWanted& wanted) {
    pmi::WorldOptions options{
        name, wanted.request.ranks(), {}, wanted.request.keys, pmi::Gate::shut};
    int appnum = 0, rank = 0;
    for (const auto& command : wanted.request.commands) {
        for (int i = 0; i < command.ranks; ++i)
            options.ranks.push_back({pmi::WorldRank{rank++}, appnum});
        ++appnum;
    }
    return add(name, std::move(options), wanted.by);
}

WorldNumber LocalWorlds::add(const pmi::KvsName& name, pmi::WorldOptions options,
                             std::optional<WorldMember> parent) {
    const auto ranks = options.ranks.size();
    if (auto mapping = pmi::process_mapping({{0, static_cast<int>(ranks)}}))
        options.keys["PMI_process_mapping"] = std::move(*mapping);
    server_.add(name, {here}, options.gate);
    worlds_.push_back(
        {name, pmi::HostWorld(std::move(options)), parent, std::vector<bool>(ranks, false)});
    return WorldNumber{worlds_.size() - 1};
}

void LocalWorlds::on_lines(WorldMember from, const std::vector<std::string>& lines,
                           LocalOutbox& out) {
    auto& its = world(from.world);
    pmi::Outbox effects;
    its.part.on_lines(from.rank, lines, effects);
    const auto* state = its.part.state_of(from.rank);
    const bool speaks = state != nullptr && !std::holds_alternative<pmi::Starting>(*state) &&
                        !std::holds_alternative<pmi::Gone>(*state);
    if (speaks) its.spoken.at(static_cast<std::size_t>(from.rank.value)) = true;
    carry_out(from.world, effects, out);
}

void LocalWorlds::on_rank_ended(WorldMember who, LocalOutbox& out) {
    pmi::Outbox effects;
    world(who.world).part.on_rank_ended(who.rank, effects);
    carry_out(who.world, effects, out);
}

bool LocalWorlds::has_spoken(WorldMember who) const {
    return worlds_.at(who.world.value).spoken.at(static_cast<std::size_t>(who.rank.value));
}

void LocalWorlds::carry_out(WorldNumber number, const pmi::Outbox& effects, LocalOutbox& out) {
    using pmi::answer::NameResult;
    auto& names = server_.names();
    for (const auto& effect : effects)
        std::visit(
            core::Overloaded{
                [&](const pmi::ToRank& one) {
                    out.emplace_back(SendToRank{{number, one.rank}, one.line});
                },
                [&](const pmi::BarrierReached& one) { tell_server(number, one, out); },
                [&](const pmi::LeftBarriers& one) { tell_server(number, one, out); },
                [&](const pmi::GateReached& one) { tell_server(number, one, out); },
                [&](const pmi::GateLost& one) { tell_server(number, one, out); },
                [&](const pmi::Publish& one) {
                    const auto result = names.publish(world(number).name, one.service, one.port);
                    answer_name({number, one.rank}, result, {}, out);
                },
                [&](const pmi::Unpublish& one) {
                    answer_name({number, one.rank}, names.unpublish(one.service), {}, out);
                },
                [&](const pmi::Lookup& one) {
                    const auto port = names.lookup(one.service);
                    answer_name({number, one.rank}, port ? NameResult::done : NameResult::refused,
                                port.value_or(""), out);
                },
                [&](const pmi::SpawnAsked& one) {
                    out.emplace_back(SpawnWanted{{number, one.rank}, one.request});
                },
                [&](const pmi::CallFailed& one) {
                    out.emplace_back(SayOfRank{{number, one.rank},
                                               "calls " + one.call + ", which fails: " + one.why});
                },
                [](const pmi::Finalized&) {},  // its process will end soon
                [](const pmi::Aborted&) {},
                [&](const pmi::Misbehaved& one) {
                    out.emplace_back(KillRank{{number, one.rank}, one.why});
                },
            },
            effect);
}

void LocalWorlds::tell_server(WorldNumber number, const pmi::FromHost& message, LocalOutbox& out) {
    pmi::ServerOutbox effects;
    server_.on(world(number).name, here, message, effects);
    carry_out(effects, out);
}

void LocalWorlds::carry_out(const pmi::ServerOutbox& effects, LocalOutbox& out) {
    for (const auto& [name, effect] : effects) {
        const auto number = number_of(name);
        std::visit(core::Overloaded{
                       [&](const pmi::SendToHost& send) {
                           pmi::Outbox more;
                           std::visit([&](const auto& one) { world(number).part.on(one, more); },
                                      send.message);
                           carry_out(number, more, out);
                       },
                       [&](const pmi::GateReady&) {
                           // The children come first, because the parent waits for them inside MPI.
                           pmi::ServerOutbox more;
                           server_.release_gate(world(number).name, more);
                           carry_out(more, out);
                           answer_parent(number, pmi::answer::SpawnResult::started, out);
                       },
                       [&](const pmi::GateFailed&) {
                           answer_parent(number, pmi::answer::SpawnResult::failed, out);
                           out.emplace_back(KillWorld{number});
                       },
                       [](const pmi::KeyConflict&) {},
                   },
                   effect);
    }
}

void LocalWorlds::answer_name(WorldMember who, pmi::answer::NameResult result,
                              const std::string& port, LocalOutbox& out) {
    pmi::Outbox effects;
    world(who.world).part.on_name_answer(who.rank, result, port, effects);
    carry_out(who.world, effects, out);
}

void LocalWorlds::answer_parent(WorldNumber number, pmi::answer::SpawnResult result,
                                LocalOutbox& out) {
    const auto parent = std::exchange(world(number).parent, std::nullopt);
    if (!parent) return;
    pmi::Outbox effects;
    world(parent->world).part.on_spawn_answer(parent->rank, result, effects);
    carry_out(parent->world, effects, out);
}

WorldNumber LocalWorlds::number_of(const pmi::KvsName& name) const {
    const auto found = std::find_if(worlds_.begin(), worlds_.end(),
                                    [&name](const World& each) { return each.name == name; });
    return WorldNumber{static_cast<std::size_t>(found - worlds_.begin())};
}

}  // namespace ductile::cli
