// What a group's ranks say by PMI-1, and what they are answered.
#include <sstream>
#include <utility>

#include "agent/served_group.hpp"
#include "rms/proc.hpp"

namespace ductile::agent {

namespace {

/// The file of the MPI library that a process runs; for messages.
std::string mpi_library_of(pid_t pid) {
    std::istringstream maps(rms::read_proc(pid, "maps"));
    for (std::string line; std::getline(maps, line);)
        if (line.find("/libmpi") != line.npos) return line.substr(line.find('/'));
    return "an MPI";
}

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

}  // namespace

void ServedGroup::on_line(core::Rank rank, const std::string& line) {
    pmi::Outbox effects;
    world_->on_line(in_world(rank), line, effects);
    carry_out(std::move(effects));
}

void ServedGroup::carry_out(pmi::Outbox effects) {
    const auto ask_name = [this](core::Rank rank, wire::NameQuestion question,
                                 const std::string& service, const std::string& port) {
        const wire::NameAsked asked{id(), rank, question, service, port};
        asking_names_[rank] = asked;
        around_.tell(asked);
    };
    for (const auto& effect : effects)
        std::visit(
            wire::Overloaded{
                [&](const pmi::ToRank& one) {
                    const auto rank = of_group(one.rank);
                    if (const auto& pmi = process(rank).pmi; pmi && !pmi->send(one.line))
                        kill_rank(rank, "it asks its process manager, and reads no answer");
                },
                [&](const pmi::BarrierReached& one) {
                    in_barrier_ = {id(), one.round.value, wire::to_fields(one.keys)};
                    around_.tell(*in_barrier_);
                },
                [&](const pmi::LeftBarriers& one) {
                    left_barriers_ = true;
                    around_.tell(wire::LeftBarriers{id(), wire::to_fields(one.keys)});
                },
                [&](const pmi::GateReached&) { around_.tell(wire::GateReached{id()}); },
                [&](const pmi::GateLost& one) {
                    around_.tell(wire::GateLost{id(), of_group(one.rank)});
                },
                [&](const pmi::Publish& one) {
                    ask_name(of_group(one.rank), wire::NameQuestion::publish, one.service,
                             one.port);
                },
                [&](const pmi::Unpublish& one) {
                    ask_name(of_group(one.rank), wire::NameQuestion::unpublish, one.service, {});
                },
                [&](const pmi::Lookup& one) {
                    ask_name(of_group(one.rank), wire::NameQuestion::lookup, one.service, {});
                },
                [&](const pmi::SpawnAsked& one) {
                    wire::SpawnAsked asked{
                        id(), of_group(one.rank), {}, wire::to_fields(one.request.keys)};
                    for (const auto& command : one.request.commands)
                        asked.commands.push_back(to_fields(command));
                    const auto port = std::ranges::find(asked.keys, "PARENT_ROOT_PORT_NAME",
                                                        &wire::KeyFields::key);
                    spawning_[asked.rank] = port == asked.keys.end() ? "" : port->value;
                    around_.tell(asked);
                },
                [](const pmi::Finalized&) {},  // its process ends next
                [&](const pmi::Aborted& one) { abort_rank(of_group(one.rank), one.code); },
                [&](const pmi::Misbehaved& one) {
                    kill_rank(of_group(one.rank), "by PMI-1 it " + one.why);
                },
            },
            effect);
    if (brokerless_) fail_questions();
}

void ServedGroup::on(const wire::BarrierReleased& message) {
    if (!world_) return;
    in_barrier_.reset();
    pmi::Outbox effects;
    world_->on(pmi::BarrierReleased{pmi::BarrierRound{message.round}, wire::to_keys(message.keys)},
               effects);
    carry_out(std::move(effects));
}

void ServedGroup::on(const wire::OpenGate& /*message*/) {
    if (!world_) return;
    pmi::Outbox effects;
    world_->on(pmi::ReleaseGate{}, effects);
    carry_out(std::move(effects));
}

void ServedGroup::on(const wire::NameAnswer& message) {
    const auto asked = asking_names_.extract(message.rank);
    if (!world_ || asked.empty()) return;
    if (message.ok && asked.mapped().question == wire::NameQuestion::publish)
        published_[asked.mapped().service] = {message.rank, asked.mapped().port};
    if (message.ok && asked.mapped().question == wire::NameQuestion::unpublish)
        published_.erase(asked.mapped().service);
    using pmi::answer::NameResult;
    pmi::Outbox effects;
    world_->on_name_answer(in_world(message.rank),
                           message.ok ? NameResult::done : NameResult::refused, message.port,
                           effects);
    carry_out(std::move(effects));
}

void ServedGroup::on(const wire::SpawnAnswer& message) {
    auto asked = spawning_.extract(message.rank);
    if (!world_ || asked.empty()) return;
    accepting_.erase(message.rank);
    if (message.ok) accepting_.insert(std::move(asked));
    using pmi::answer::SpawnResult;
    pmi::Outbox effects;
    world_->on_spawn_answer(in_world(message.rank),
                            message.ok ? SpawnResult::started : SpawnResult::failed, effects);
    carry_out(std::move(effects));
}

void ServedGroup::set_brokerless(bool on_now) {
    GroupRun::set_brokerless(on_now);
    help_timer_.cancel();
    if (!on_now) return;
    fail_questions();
    help_accepts_soon();
}

void ServedGroup::fail_questions() {
    for (const auto& [rank, port] : std::map(spawning_)) on(wire::SpawnAnswer{id(), rank, false});
    for (const auto& [rank, question] : std::map(asking_names_))
        on(wire::NameAnswer{id(), rank, false, {}});
}

// Of a resize's new ranks alone, which nobody will make members any more: those that a program has
// started itself are its own. Not before they have had time to connect themselves: a stand-in that
// comes too late would be taken for whoever connects to a later port of the same number.
void ServedGroup::help_accepts_soon() {
    help_timer_.expires_after(std::chrono::seconds(1));
    help_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = std::static_pointer_cast<ServedGroup>(weak.lock());
        if (error || !self) return;
        for (const auto& [rank, port] : std::exchange(self->accepting_, {}))
            if (self->spawns(rank)) self->around_.help_accept(port);
    });
}

void ServedGroup::tell_again() {
    fail_questions();
    for (const auto& [service, published] : published_)
        around_.tell(wire::NameAsked{id(), published.rank, wire::NameQuestion::publish, service,
                                     published.port});
    if (in_barrier_) around_.tell(*in_barrier_);
    if (left_barriers_) around_.tell(wire::LeftBarriers{id(), {}});
}

// An MPI that does not speak PMI-1 takes its process for the only one of its world.
void ServedGroup::on_mpi_runs(core::Rank rank) {
    GroupRun::on_mpi_runs(rank);
    const auto* state = world_ ? world_->state_of(in_world(rank)) : nullptr;
    if (state == nullptr || !std::holds_alternative<pmi::Starting>(*state)) return;
    kill_rank(rank, "its MPI (" + mpi_library_of(process(rank).pid) +
                        ") does not speak PMI-1, by which Ductile starts ranks: build the program "
                        "with the MPI that Ductile was built for");
}

void ServedGroup::on_rank_leaves(core::Rank rank) {
    if (!world_) return;
    pmi::Outbox effects;
    world_->on_rank_leaves(in_world(rank), effects);
    carry_out(std::move(effects));
}

}  // namespace ductile::agent
