#include "engine/linked_rank.hpp"

#include <utility>

#include "core/hash.hpp"
#include "data/shared_state.hpp"
#include "engine/check_hook.hpp"
#include "engine/join.hpp"

namespace ductile::engine {

void LinkedRank::arrive(core::TransactionId transaction) {
    if (tools_.member.is_leader()) tools_.link.send(wire::Arrived{transaction});
}

Registered LinkedRank::registered(const data::PartCounts& counts) {
    const auto& registry = tools_.member.registry();
    auto arrays = data::outgoing(registry, counts);
    // What new processes have, too, is to be the same on all ranks.
    const auto calls =
        static_cast<std::int64_t>(tools_.member.hooks().schema.redistribute().size());
    const auto terms = core::hash_of(tools_.member.hooks().terms) >> 2U;
    const auto print =
        (data::fingerprint(registry, arrays) / 2 + calls) ^ static_cast<std::int64_t>(terms);
    return {std::move(arrays), print};
}

// The broker takes a switch without progress for one that hangs.
void LinkedRank::rebuild(SwitchReport& report) {
    const auto& hooks = tools_.member.hooks().rebuild;
    if (hooks.empty()) return;
    const Stopwatch rebuilding;
    tools_.progress.let_program_work(report.transaction);
    tools_.link.set_ticking(true);
    call(hooks);
    tools_.link.set_ticking(tools_.member.is_leader());
    tools_.progress.end();
    report.rebuild_s = rebuilding.seconds();
}

Tally LinkedRank::vote(const mpi::SharedComm& voters, const Ballot& ballot) {
    const auto over = voters ? voters : tools_.member.membership().comms.vote;
    const CheckedWait waits("Job::resize_point()");
    return cast_vote(*over, ballot);
}

// A rank whose rules throw has said so already, and gives, or compares, nothing.
Obstacle LinkedRank::difference(const data::PartCounts& counts) {
    auto& member = tools_.member;
    std::optional<std::vector<data::Outgoing>> arrays;
    std::string packed;
    try {
        arrays = data::outgoing(member.registry(), counts);
        if (member.is_leader()) packed = data::pack_state(member.registry(), *arrays);
    } catch (const Error&) {
    }
    data::Progress progress;
    const auto& vote = *member.membership().comms.vote;
    packed = broadcast_state(vote, packed, progress);
    const auto& mine = member.hooks().terms;
    const auto first = broadcast_state(vote, member.is_leader() ? mine : "", progress);
    const auto me = "rank " + std::to_string(member.rank());
    try {
        if (arrays && !packed.empty())
            data::expect_same(member.registry(), *arrays, data::unpack_state(packed));
    } catch (const Error& error) {
        return me + ": " + error.what();
    }
    if (mine == first) return std::nullopt;
    return me + " has " + mine + ", and rank 0 has " + first + "; all ranks have to have the same";
}

void LinkedRank::adopt(Adoption adoption) {
    if (adoption.fate == Fate::stays)
        tools_.member.become(std::move(adoption.next));
    else
        tools_.member.step_back(std::move(adoption.next));
}

void LinkedRank::report(SwitchReport report, const Stopwatch& since_arrival) {
    report.leader = tools_.member.is_leader();
    report.degraded = tools_.member.health.degraded;
    if (report.why.size() > wire::limits::text_bytes) report.why.resize(wire::limits::text_bytes);
    tools_.gate.end_switch({report.transaction, report.committed, report.degraded});
    report.stall_s = since_arrival.seconds();
    tools_.link.send(report);
}

}  // namespace ductile::engine
