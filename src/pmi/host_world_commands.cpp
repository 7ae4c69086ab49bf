// Carries out the commands of a rank.
#include <fmt/ranges.h>

#include <algorithm>

#include "pmi/host_world.hpp"
#include "pmi/limits.hpp"

namespace ductile::pmi {

namespace {

constexpr std::string_view end_of_spawn = "endcmd";

bool begins_command(std::string_view line) {
    return line.starts_with("cmd=") || line.starts_with("mcmd=");
}

using LineIterator = std::vector<std::string>::const_iterator;

/// Whether the last line is the end of a command of MPI_Comm_spawn.
bool ends_spawn(std::string_view text) {
    return text.substr(text.rfind('\n') + 1) == end_of_spawn;
}

/// Where the block that begins at `from` ends. A text of a spawn may hold ends of requests, and
/// commands. So all that has come together belongs to it, up to the last `endcmd`.
LineIterator end_of_block(LineIterator from, LineIterator last, bool is_spawn) {
    auto next = from + 1;
    if (is_spawn)
        for (auto line = from; line != last; ++line)
            if (*line == end_of_spawn) next = line + 1;
    const bool has_ended = next[-1] == end_of_spawn;
    return is_spawn && !has_ended ? last : std::find_if(next, last, begins_command);
}

}  // namespace

bool HostWorld::tells_spawn(const LocalRank& rank) {
    if (rank.is<TellingSpawn>()) return true;
    const bool is_in_queue = !rank.waiting.empty() && rank.waiting.back().starts_with("mcmd=spawn");
    return is_in_queue && !ends_spawn(rank.waiting.back());
}

void HostWorld::on_lines(WorldRank rank, const std::vector<std::string>& lines, Outbox& out) {
    auto* const found = find(rank);
    if (found == nullptr) return;
    for (auto line = lines.begin(); line != lines.end() && !found->is<Gone>();) {
        const bool goes_on = tells_spawn(*found);
        const bool is_spawn = goes_on || line->starts_with("mcmd=spawn");
        const bool is_rest = goes_on || !begins_command(*line);
        const auto end = end_of_block(line, lines.end(), is_spawn);
        const auto text = fmt::to_string(fmt::join(line, end, "\n"));
        line = end;
        if (!found->waits())
            take({rank, *found}, text, out);
        else if (is_rest)
            keep_rest({rank, *found}, text, out);
        else
            keep({rank, *found}, text, out);
    }
}

void HostWorld::take(Speaker who, std::string_view text, Outbox& out) {
    if (who.rank.is<TellingSpawn>()) return on_spawn_text(who, text, out);
    const auto first = text.substr(0, text.find('\n'));
    auto command = parse_command(first);
    if (!std::holds_alternative<BeginSpawn>(command))
        return on_command(who, parse_command(text), out);
    on_command(who, std::move(command), out);
    if (who.rank.is<TellingSpawn>() && first.size() < text.size())
        on_spawn_text(who, text.substr(first.size() + 1), out);
}

/// A question of another thread waits for its turn. `abort` does not wait.
void HostWorld::keep(Speaker who, std::string text, Outbox& out) {
    const auto command = parse_command(text);
    if (const auto* abort = std::get_if<Abort>(&command)) return on(who, *abort, out);
    who.rank.waiting_bytes += text.size() + 1;
    if (who.rank.waiting_bytes > limits::waiting_bytes)
        return misbehaved(who, "asks too much while it waits for an answer", out);
    who.rank.waiting.push_back(std::move(text));
}

/// Belongs to the last question that waits. If none waits, it belongs to the question that is open,
/// which was complete without it: a text with newlines may do this. Then nothing needs it.
void HostWorld::keep_rest(Speaker who, std::string_view text, Outbox& out) {
    if (who.rank.waiting.empty()) return;
    who.rank.waiting_bytes += text.size() + 1;
    if (who.rank.waiting_bytes > limits::waiting_bytes)
        return misbehaved(who, "asks too much while it waits for an answer", out);
    who.rank.waiting.back() += '\n';
    who.rank.waiting.back() += text;
}

/// After an answer: takes the questions that have come meanwhile, up to the next one that must
/// wait.
void HostWorld::resume(Speaker who, Outbox& out) {
    while (!who.rank.waits() && !who.rank.waiting.empty()) {
        const auto text = std::move(who.rank.waiting.front());
        who.rank.waiting.pop_front();
        who.rank.waiting_bytes -= text.size() + 1;
        take(who, text, out);
    }
}

/// Called only when all ranks are answered. Otherwise a rank that enters the next barrier
/// immediately would count for the barrier whose ranks are still being answered.
void HostWorld::resume_all(Outbox& out) {
    for (auto& [id, rank] : ranks_) resume({id, rank}, out);
}

/// A program begins with `init` and ends with `finalize`. It may send `abort` instead of either.
void HostWorld::on_command(Speaker who, Command command, Outbox& out) {
    const bool aborts = std::holds_alternative<Abort>(command);
    const bool begins = std::holds_alternative<Init>(command);
    if (begins) on_next_program(who.id);
    if (who.rank.is<Ended>()) return misbehaved(who, "speaks after it has finalised", out);
    if (!aborts && !begins && who.rank.is<Starting>())
        return misbehaved(who, "speaks before `init`", out);
    if (begins && !who.rank.is<Starting>()) return misbehaved(who, "sends `init` twice", out);
    std::visit([&](auto& one) { on(who, std::move(one), out); }, command);
}

void HostWorld::on(Speaker who, const Init& /*command*/, Outbox& out) {
    if (who.rank.program > 0) {
        who.rank.state = AwaitsOthers{};
        return settle_programs(out);
    }
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

void HostWorld::on(Speaker who, BadName&& command, Outbox& out) {
    using answer::NameResult;
    switch (command.question) {
        case NameQuestion::publish:
            out.emplace_back(CallFailed{who.id, "MPI_Publish_name", std::move(command.why)});
            out.emplace_back(ToRank{who.id, answer::publish(NameResult::refused)});
            break;
        case NameQuestion::unpublish:
            out.emplace_back(CallFailed{who.id, "MPI_Unpublish_name", std::move(command.why)});
            out.emplace_back(ToRank{who.id, answer::unpublish(NameResult::refused)});
            break;
        case NameQuestion::lookup:
            out.emplace_back(CallFailed{who.id, "MPI_Lookup_name", std::move(command.why)});
            out.emplace_back(ToRank{who.id, answer::lookup(std::nullopt)});
    }
}

void HostWorld::on_spawn_text(Speaker who, std::string_view text, Outbox& out) {
    auto& reader = std::get<TellingSpawn>(who.rank.state).reader;
    for (;;) {
        const auto line = text.substr(0, text.find('\n'));
        reader.add(line);
        if (line.size() == text.size()) break;
        text.remove_prefix(line.size() + 1);
    }
    if (!reader.is_complete()) return;
    auto request = reader.take();
    std::visit([&](auto& one) { on(who, std::move(one), out); }, request);
}

void HostWorld::on(Speaker who, BadSpawn&& request, Outbox& out) {
    who.rank.state = Idle{};
    out.emplace_back(CallFailed{who.id, "MPI_Comm_spawn", std::move(request.why)});
    out.emplace_back(ToRank{who.id, answer::spawn(answer::SpawnResult::failed, 0)});
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
