// Carries out the commands of a rank.
#include "pmi/host_world.hpp"
#include "pmi/limits.hpp"

namespace ductile::pmi {

void HostWorld::on_line(WorldRank rank, std::string_view line, Outbox& out) {
    auto* const found = find(rank);
    if (found == nullptr || found->is<Gone>()) return;
    const Speaker who{rank, *found};
    if (found->waits())
        keep_line(who, line, out);
    else
        take_line(who, line, out);
}

void HostWorld::take_line(Speaker who, std::string_view line, Outbox& out) {
    if (who.rank.is<TellingSpawn>())
        on_spawn_line(who, line, out);
    else
        on_command(who, parse_command(line), out);
}

/// A question of another thread waits for its turn. `abort` does not wait.
void HostWorld::keep_line(Speaker who, std::string_view line, Outbox& out) {
    const auto command = parse_command(line);
    if (const auto* abort = std::get_if<Abort>(&command)) return on(who, *abort, out);
    who.rank.waiting_bytes += line.size() + 1;
    if (who.rank.waiting_bytes > limits::waiting_bytes)
        return misbehaved(who, "asks too much while it waits for an answer", out);
    who.rank.waiting_lines.emplace_back(line);
}

/// After an answer: takes the lines that have come meanwhile, up to the next line that must wait.
void HostWorld::resume(Speaker who, Outbox& out) {
    while (!who.rank.waits() && !who.rank.waiting_lines.empty()) {
        const auto line = std::move(who.rank.waiting_lines.front());
        who.rank.waiting_lines.pop_front();
        who.rank.waiting_bytes -= line.size() + 1;
        take_line(who, line, out);
    }
}

/// Called only when all ranks are answered. Otherwise a rank that enters the next barrier
/// immediately would count for the barrier whose ranks are still being answered.
void HostWorld::resume_all(Outbox& out) {
    for (auto& [id, rank] : ranks_) resume({id, rank}, out);
}

/// A rank begins with `init` and ends with `finalize`. It may send `abort` instead of either.
void HostWorld::on_command(Speaker who, Command command, Outbox& out) {
    const bool aborts = std::holds_alternative<Abort>(command);
    const bool begins = std::holds_alternative<Init>(command);
    if (who.rank.is<Ended>()) return misbehaved(who, "speaks after it has finalised", out);
    if (!aborts && !begins && who.rank.is<Starting>())
        return misbehaved(who, "speaks before `init`", out);
    if (begins && !who.rank.is<Starting>()) return misbehaved(who, "sends `init` twice", out);
    std::visit([&](auto& one) { on(who, std::move(one), out); }, command);
}

void HostWorld::on(Speaker who, const Init& /*command*/, Outbox& out) {
    who.rank.state = Idle{};
    out.emplace_back(ToRank{who.id, answer::init()});
}

void HostWorld::on(Speaker who, const GetMaxes& /*command*/, Outbox& out) {
    out.emplace_back(ToRank{who.id, answer::maxes()});
}

void HostWorld::on(Speaker who, const GetUniverseSize& /*command*/, Outbox& out) {
    out.emplace_back(ToRank{who.id, answer::universe_size(universe_size_)});
}

void HostWorld::on(Speaker who, const GetAppnum& /*command*/, Outbox& out) {
    out.emplace_back(ToRank{who.id, answer::appnum(who.rank.appnum)});
}

void HostWorld::on(Speaker who, const GetMyKvsname& /*command*/, Outbox& out) {
    out.emplace_back(ToRank{who.id, answer::my_kvsname(kvsname_)});
}

void HostWorld::on(Speaker who, Put&& command, Outbox& out) {
    if (command.kvsname != kvsname_.text())
        return misbehaved(who, "puts a key into another world", out);
    if (++who.rank.puts > limits::puts_per_rank) return misbehaved(who, "puts too many keys", out);
    const bool reserved = command.key.starts_with("PMI_");
    if (!reserved) fresh_.insert_or_assign(std::move(command.key), std::move(command.value));
    const auto result = reserved ? answer::PutResult::reserved : answer::PutResult::stored;
    out.emplace_back(ToRank{who.id, answer::put(result)});
}

bool HostWorld::held_at_gate(const Get& get) const {
    return gate_ == Gate::shut && get.key == "PARENT_ROOT_PORT_NAME";
}

void HostWorld::on(Speaker who, const Get& command, Outbox& out) {
    if (command.kvsname != kvsname_.text())
        return misbehaved(who, "asks for a key of another world", out);
    if (held_at_gate(command)) {
        who.rank.state = AtGate{};
        return settle_gate(out);
    }
    if (mapping_ == Mapping::awaited && command.key == "PMI_process_mapping") {
        who.rank.state = AwaitsMapping{};
        return;
    }
    out.emplace_back(ToRank{who.id, answer::get(value_of(command.key))});
}

void HostWorld::on(Speaker who, const BarrierIn& /*command*/, Outbox& out) {
    if (!who.rank.counts()) {
        out.emplace_back(ToRank{who.id, answer::barrier()});
        return;
    }
    who.rank.state = InBarrier{};
    settle(out);
}

void HostWorld::on(Speaker who, PublishName&& command, Outbox& out) {
    who.rank.state = AskingName{NameQuestion::publish};
    out.emplace_back(Publish{who.id, std::move(command.service), std::move(command.port)});
}

void HostWorld::on(Speaker who, UnpublishName&& command, Outbox& out) {
    who.rank.state = AskingName{NameQuestion::unpublish};
    out.emplace_back(Unpublish{who.id, std::move(command.service)});
}

void HostWorld::on(Speaker who, LookupName&& command, Outbox& out) {
    who.rank.state = AskingName{NameQuestion::lookup};
    out.emplace_back(Lookup{who.id, std::move(command.service)});
}

void HostWorld::on(Speaker who, const Finalize& /*command*/, Outbox& out) {
    out.emplace_back(ToRank{who.id, answer::finalize()});
    out.emplace_back(Finalized{who.id});
    end(who, Ended{}, out);
}

void HostWorld::on(Speaker who, const Abort& command, Outbox& out) {
    out.emplace_back(Aborted{who.id, command.code});
    end(who, Gone{}, out);
}

void HostWorld::on(Speaker who, const BeginSpawn& /*command*/, Outbox& /*out*/) {
    who.rank.state = TellingSpawn{};
}

void HostWorld::on(Speaker who, Refused&& command, Outbox& out) {
    misbehaved(who, std::move(command.why), out);
}

void HostWorld::on_spawn_line(Speaker who, std::string_view line, Outbox& out) {
    auto progress = std::get<TellingSpawn>(who.rank.state).reader.add(line);
    if (auto* const request = std::get_if<SpawnRequest>(&progress))
        on(who, std::move(*request), out);
    else if (auto* const refused = std::get_if<Refused>(&progress))
        on(who, std::move(*refused), out);
}

void HostWorld::on(Speaker who, SpawnRequest&& request, Outbox& out) {
    const int ranks = request.ranks();
    if (ranks == 0) {
        who.rank.state = Idle{};
        out.emplace_back(ToRank{who.id, answer::spawn(answer::SpawnResult::failed, 0)});
        return;
    }
    who.rank.state = AskingSpawn{ranks};
    out.emplace_back(SpawnAsked{who.id, std::move(request)});
}

}  // namespace ductile::pmi
