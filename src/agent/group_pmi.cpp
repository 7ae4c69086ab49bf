#include "agent/group_pmi.hpp"

#include <utility>

namespace ductile::agent {

namespace {

core::Rank of_group(pmi::WorldRank rank) {
    return core::Rank{rank.value};
}

std::vector<wire::InfoFields> to_fields(const std::vector<pmi::InfoEntry>& info) {
    std::vector<wire::InfoFields> fields;
    for (const auto& entry : info) fields.push_back({entry.key, entry.value});
    return fields;
}

wire::SpawnCommandFields to_fields(const pmi::SpawnCommand& command) {
    wire::SpawnCommandFields fields{command.ranks, {command.program}, to_fields(command.info)};
    fields.program.insert(fields.program.end(), command.arguments.begin(), command.arguments.end());
    return fields;
}

pmi::WorldRank in_world(core::Rank rank) {
    return pmi::WorldRank{rank.value};
}

}  // namespace

GroupPmi::GroupPmi(const AgentContext& context, core::GroupId group, RankActions actions)
    : context_(context),
      group_(group),
      actions_(std::move(actions)),
      barriers_(group),
      help_timer_(context.io) {}

void GroupPmi::open(pmi::WorldOptions options) {
    world_.emplace(std::move(options));
    pmi::Outbox none_asks_yet;
    if (mapping_) world_->on(*mapping_, none_asks_yet);
}

void GroupPmi::on_lines(core::Rank rank, const std::vector<std::string>& lines) {
    if (!world_) return;
    pmi::Outbox effects;
    world_->on_lines(in_world(rank), lines, effects);
    carry_out(effects);
}

void GroupPmi::ask_name(pmi::WorldRank rank, wire::NameQuestion question,
                        const std::string& service, const std::string& port) {
    const wire::NameAsked asked{group_, of_group(rank), question, service, port};
    questions_.ask(asked);
    context_.tell(asked);
}

void GroupPmi::ask_spawn(const pmi::SpawnAsked& what) {
    wire::SpawnAsked asked{group_, of_group(what.rank), {}, wire::to_fields(what.request.keys)};
    for (const auto& command : what.request.commands) asked.commands.push_back(to_fields(command));
    questions_.ask(asked);
    context_.tell(asked);
}

void GroupPmi::carry_out(const pmi::Outbox& effects) {
    for (const auto& effect : effects)
        std::visit(
            wire::Overloaded{
                [&](const pmi::ToRank& one) {
                    const auto rank = of_group(one.rank);
                    if (!actions_.send(rank, one.line))
                        actions_.kill(rank,
                                      "it asks its process manager, and does not read the answers");
                },
                [&](const pmi::BarrierReached& one) { barriers_.report(one, context_.tell); },
                [&](const pmi::LeftBarriers& one) { barriers_.report(one, context_.tell); },
                [&](const pmi::GateReached&) { context_.tell(wire::GateReached{group_}); },
                [&](const pmi::GateLost& one) {
                    context_.tell(wire::GateLost{group_, of_group(one.rank)});
                },
                [&](const pmi::Publish& one) {
                    ask_name(one.rank, wire::NameQuestion::publish, one.service, one.port);
                },
                [&](const pmi::Unpublish& one) {
                    ask_name(one.rank, wire::NameQuestion::unpublish, one.service, {});
                },
                [&](const pmi::Lookup& one) {
                    ask_name(one.rank, wire::NameQuestion::lookup, one.service, {});
                },
                [&](const pmi::SpawnAsked& one) { ask_spawn(one); },
                [&](const pmi::CallFailed& one) {
                    const core::Process rank{group_, of_group(one.rank)};
                    context_.tell(wire::Notice{one.call + " by rank " + core::to_string(rank) +
                                               " fails: " + one.why});
                },
                [](const pmi::Finalized&) {},  // the process may continue without MPI
                [&](const pmi::Aborted& one) { actions_.abort(of_group(one.rank), one.code); },
                [&](const pmi::Misbehaved& one) {
                    actions_.kill(of_group(one.rank), "it breaks PMI-1: it " + one.why);
                },
            },
            effect);
    if (brokerless_) fail_questions();
}

void GroupPmi::on(const wire::BarrierReleased& message) {
    if (!world_) return;
    pmi::Outbox effects;
    world_->on(pmi::BarrierReleased{pmi::BarrierRound{message.round}, wire::to_keys(message.keys)},
               effects);
    carry_out(effects);
}

void GroupPmi::on(const wire::OpenGate& /*message*/) {
    if (!world_) return;
    pmi::Outbox effects;
    world_->on(pmi::ReleaseGate{}, effects);
    carry_out(effects);
}

void GroupPmi::on(const wire::WorldMapping& message) {
    if (!world_) {
        mapping_ = pmi::MappingKnown{message.mapping};
        return;
    }
    pmi::Outbox effects;
    world_->on(pmi::MappingKnown{message.mapping}, effects);
    carry_out(effects);
}

void GroupPmi::on(const wire::NameAnswer& message) {
    if (!questions_.take(message) || !world_) return;
    using pmi::answer::NameResult;
    pmi::Outbox effects;
    world_->on_name_answer(in_world(message.rank),
                           message.ok ? NameResult::done : NameResult::refused, message.port,
                           effects);
    carry_out(effects);
}

void GroupPmi::on(const wire::SpawnAnswer& message) {
    if (!questions_.take(message) || !world_) return;
    using pmi::answer::SpawnResult;
    pmi::Outbox effects;
    world_->on_spawn_answer(in_world(message.rank),
                            message.ok ? SpawnResult::started : SpawnResult::failed, effects);
    carry_out(effects);
}

void GroupPmi::set_brokerless(bool on_now) {
    brokerless_ = on_now;
    help_timer_.cancel();
    if (!on_now) return;
    fail_questions();
    help_accepts_soon();
}

void GroupPmi::fail_questions() {
    for (const auto& answer : questions_.failed_spawns(group_)) on(answer);
    for (const auto& answer : questions_.failed_names(group_)) on(answer);
}

// Ends the accepts of ranks that spawn newcomers for a resize: nobody will make these newcomers
// members any more. Processes that the program starts itself are not affected. First waits one
// second, because the newcomers may still connect: an abort connector that comes after them could
// be mistaken for a process that connects to a later port with the same number.
void GroupPmi::help_accepts_soon() {
    help_timer_.expires_after(std::chrono::seconds(1));
    help_timer_.async_wait([this](const asio::error_code& error) {
        if (error) return;
        for (const auto& [rank, port] : questions_.take_accepting())
            if (actions_.spawns(rank)) context_.help_accept(port);
    });
}

void GroupPmi::tell_again() {
    fail_questions();
    for (const auto& asked : questions_.published()) context_.tell(asked);
    barriers_.report_again(context_.tell);
}

void GroupPmi::tell_gate_lost(core::Rank any) const {
    if (world_ && world_->has_shut_gate()) context_.tell(wire::GateLost{group_, any});
}

void GroupPmi::on_program_gone(core::Rank rank) {
    if (!world_) return;
    questions_.forget(rank);
    pmi::Outbox effects;
    world_->on_program_gone(in_world(rank), effects);
    carry_out(effects);
}

void GroupPmi::on_rank_ended(core::Rank rank) {
    if (!world_) return;
    pmi::Outbox effects;
    world_->on_rank_ended(in_world(rank), effects);
    carry_out(effects);
}

const pmi::RankState* GroupPmi::state_of(core::Rank rank) const {
    return world_ ? world_->state_of(in_world(rank)) : nullptr;
}

void GroupPmi::on_rank_leaves(core::Rank rank) {
    if (!world_) return;
    pmi::Outbox effects;
    world_->on_rank_leaves(in_world(rank), effects);
    carry_out(effects);
}

}  // namespace ductile::agent
