// What happens to a host's part of a world, except the commands of its ranks.
#include "pmi/host_world.hpp"

#include <algorithm>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::pmi {

HostWorld::HostWorld(WorldOptions options)
    : first_kvsname_(options.kvsname),
      kvsname_(std::move(options.kvsname)),
      universe_size_(options.universe_size),
      keys_(std::move(options.keys)),
      gate_(options.gate),
      mapping_(options.mapping) {
    for (const auto& [rank, appnum] : options.ranks) {
        const auto [local, added] = ranks_.try_emplace(rank);
        local->second.appnum = appnum;
        if (!added || rank.value < 0 || appnum < 0)
            throw InputError("a world's ranks on a host must differ and be 0 or more");
    }
    if (ranks_.empty() || universe_size_ < 1)
        throw InputError(
            "a host's part of a world needs at least one rank, and a universe size of at least 1");
}

void HostWorld::on_next_program(WorldRank rank) {
    auto* const next = find(rank);
    if (next == nullptr || !next->is<Ended>()) return;
    next->state = Starting{};
    next->puts = 0;
    ++next->program;
}

void HostWorld::on_program_gone(WorldRank rank, Outbox& out) {
    auto* const gone = find(rank);
    if (gone != nullptr && gone->lives()) end({rank, *gone}, Ended{}, out);
}

void HostWorld::on_rank_ended(WorldRank rank, Outbox& out) {
    auto* const ended = find(rank);
    if (ended != nullptr && !ended->is<Gone>()) end({rank, *ended}, Gone{}, out);
}

void HostWorld::on_rank_leaves(WorldRank rank, Outbox& out) {
    auto* const leaver = find(rank);
    if (leaver == nullptr || !leaver->counts()) return;
    leaver->membership = Membership::leaving;
    if (leaver->is<InBarrier>()) {
        leaver->state = Idle{};
        out.emplace_back(ToRank{rank, answer::barrier()});
    }
    settle(out);
    resume({rank, *leaver}, out);
}

void HostWorld::on_name_answer(WorldRank rank, answer::NameResult result, std::string_view port,
                               Outbox& out) {
    auto* const asker = find(rank);
    if (asker == nullptr || !asker->is<AskingName>()) return;
    const auto question = std::get<AskingName>(asker->state).question;
    asker->state = Idle{};
    if (question == NameQuestion::publish)
        out.emplace_back(ToRank{rank, answer::publish(result)});
    else if (question == NameQuestion::unpublish)
        out.emplace_back(ToRank{rank, answer::unpublish(result)});
    else if (result == answer::NameResult::done)
        out.emplace_back(ToRank{rank, answer::lookup(port)});
    else
        out.emplace_back(ToRank{rank, answer::lookup(std::nullopt)});
    resume({rank, *asker}, out);
}

void HostWorld::on_spawn_answer(WorldRank rank, answer::SpawnResult result, Outbox& out) {
    auto* const asker = find(rank);
    if (asker == nullptr || !asker->is<AskingSpawn>()) return;
    const int ranks = std::get<AskingSpawn>(asker->state).ranks;
    asker->state = Idle{};
    out.emplace_back(ToRank{rank, answer::spawn(result, ranks)});
    resume({rank, *asker}, out);
}

void HostWorld::on(const BarrierReleased& message, Outbox& out) {
    if (!barrier_reached_ || message.round != round_) return;
    for (const auto& [key, value] : message.keys) keys_.insert_or_assign(key, value);
    ++round_.value;
    barrier_reached_ = false;
    for (auto& [id, rank] : ranks_) {
        if (!rank.is<InBarrier>()) continue;
        rank.state = Idle{};
        out.emplace_back(ToRank{id, answer::barrier()});
    }
    resume_all(out);
    settle(out);
}

void HostWorld::on(const ReleaseGate& /*message*/, Outbox& out) {
    if (gate_ == Gate::open) return;
    gate_ = Gate::open;
    answer_held<AtGate>("PARENT_ROOT_PORT_NAME", out);
}

void HostWorld::on(const MappingKnown& message, Outbox& out) {
    if (mapping_ == Mapping::known) return;
    mapping_ = Mapping::known;
    if (!message.mapping.empty()) keys_.insert_or_assign("PMI_process_mapping", message.mapping);
    answer_held<AwaitsMapping>("PMI_process_mapping", out);
}

template <class Held>
void HostWorld::answer_held(std::string_view key, Outbox& out) {
    for (auto& [id, rank] : ranks_) {
        if (!rank.template is<Held>()) continue;
        rank.state = Idle{};
        out.emplace_back(ToRank{id, answer::get(value_of(key))});
    }
    resume_all(out);
}

void HostWorld::misbehaved(Speaker who, std::string why, Outbox& out) {
    out.emplace_back(Misbehaved{who.id, std::move(why)});
    end(who, Gone{}, out);
}

// The rank never gets an answer to its open question.
void HostWorld::end(Speaker who, RankState last, Outbox& out) {
    const bool was_alive = who.rank.lives();
    who.rank.state = std::move(last);
    who.rank.waiting.clear();
    who.rank.waiting_bytes = 0;
    if (was_alive && gate_ == Gate::shut) out.emplace_back(GateLost{who.id});
    settle(out);
    settle_programs(out);
}

bool HostWorld::have_all_finalised_before(const LocalRank& rank) const {
    return std::ranges::all_of(ranks_, [&rank](const auto& entry) {
        const LocalRank& other = entry.second;
        const bool has_ended = other.is<Ended>() && other.program == rank.program - 1;
        return other.is<Gone>() || has_ended || other.program >= rank.program;
    });
}

// A world without some of its ranks cannot begin: MPI would wait for them.
bool HostWorld::is_whole_for(const LocalRank& rank) const {
    return std::ranges::none_of(ranks_, [&rank](const auto& entry) {
        const LocalRank& other = entry.second;
        const bool is_here = !other.is<Gone>() && other.membership == Membership::member;
        return !is_here && other.program < rank.program;
    });
}

void HostWorld::settle_programs(Outbox& out) {
    for (auto& [id, rank] : ranks_) {
        if (!rank.is<AwaitsOthers>() || !have_all_finalised_before(rank)) continue;
        if (!is_whole_for(rank)) {
            misbehaved({id, rank},
                       "begins another MPI program, and a rank of its world has left or ended (it "
                       "runs alone by: env -u PMI_PORT PROGRAM)",
                       out);
            return;  // which has come here for the others
        }
        begin_program(rank.program);
        rank.state = Idle{};
        out.emplace_back(ToRank{id, answer::init()});
        resume({id, rank}, out);
    }
}

// Ranks on other hosts count the same programs, so they find the same name.
void HostWorld::begin_program(int number) {
    if (number <= program_) return;
    program_ = number;
    kvsname_ = KvsName::from_text(first_kvsname_.text() + "-" + std::to_string(number + 1))
                   .value_or(first_kvsname_);
    fresh_.clear();
    std::erase_if(keys_, [](const auto& entry) { return entry.first != "PMI_process_mapping"; });
}

void HostWorld::settle(Outbox& out) {
    if (left_barriers_) return;
    int counted = 0, waiting = 0;
    for (const auto& [id, rank] : ranks_) {
        counted += rank.counts() ? 1 : 0;
        waiting += rank.counts() && rank.is<InBarrier>() ? 1 : 0;
    }
    if (counted == 0) {
        left_barriers_ = true;
        out.emplace_back(LeftBarriers{std::exchange(fresh_, {})});
    } else if (waiting == counted && !barrier_reached_) {
        barrier_reached_ = true;
        for (const auto& [key, value] : fresh_) keys_.insert_or_assign(key, value);
        out.emplace_back(BarrierReached{round_, std::exchange(fresh_, {})});
    }
}

void HostWorld::settle_gate(Outbox& out) {
    const bool all = std::all_of(ranks_.begin(), ranks_.end(), [](const auto& entry) {
        return entry.second.template is<AtGate>();
    });
    if (all) out.emplace_back(GateReached{});
}

const RankState* HostWorld::state_of(WorldRank rank) const {
    const auto found = ranks_.find(rank);
    return found == ranks_.end() ? nullptr : &found->second.state;
}

LocalRank* HostWorld::find(WorldRank rank) {
    const auto found = ranks_.find(rank);
    return found == ranks_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> HostWorld::value_of(std::string_view key) const {
    for (const auto* keys : {&fresh_, &keys_})
        if (const auto found = keys->find(key); found != keys->end()) return found->second;
    return std::nullopt;
}

std::size_t HostWorld::bytes() const {
    std::size_t sum = 0;
    for (const auto* keys : {&fresh_, &keys_})
        for (const auto& [key, value] : *keys) sum += key.size() + value.size();
    for (const auto& [id, rank] : ranks_) {
        sum += rank.waiting_bytes;
        if (const auto* telling = std::get_if<TellingSpawn>(&rank.state))
            sum += telling->reader.bytes();
    }
    return sum;
}

}  // namespace ductile::pmi
