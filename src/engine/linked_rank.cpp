#include "engine/linked_rank.hpp"

#include <utility>

#include "core/hash.hpp"
#include "data/shared_state.hpp"
#include "engine/check_hook.hpp"

namespace ductile::engine {

namespace {

wire::SwitchDone to_wire(const SwitchReport& report) {
    wire::SwitchDone done;
    done.transaction = report.transaction;
    done.committed = report.committed;
    done.degraded = report.degraded;
    done.unfinished = report.unfinished;
    done.leader = report.leader;
    done.why = report.why.substr(0, wire::limits::text_bytes);
    done.stall_s = report.stall_s;
    done.vote_s = report.vote_s;
    done.join_s = report.join_s;
    done.redistribute_s = report.redistribute_s;
    done.commit_s = report.commit_s;
    done.rebuild_s = report.rebuild_s;
    done.bytes_sent = report.bytes_sent;
    done.bytes_sent_ahead = report.bytes_sent_ahead;
    done.peak_bytes = report.peak_bytes;
    done.redistribution = report.redistribution;
    return done;
}

}  // namespace

void LinkedRank::arrive(core::TransactionId transaction) {
    if (tools_.member.is_leader()) tools_.link.send(wire::Arrived{transaction});
}

Registered LinkedRank::registered(const data::PartCounts& counts) {
    const auto& registry = tools_.member.registry();
    auto arrays = data::outgoing(registry, counts);
    // The terms, and the number of on_redistribute functions, must also be the same on all ranks.
    const auto calls =
        static_cast<std::int64_t>(tools_.member.hooks().schema.redistribute().size());
    const auto terms = core::hash_of(tools_.member.hooks().terms) >> 2U;
    const auto print =
        (data::fingerprint(registry, arrays) / 2 + calls) ^ static_cast<std::int64_t>(terms);
    return {std::move(arrays), print};
}

// The broker treats a switch without progress as hanging. So this rank reports progress meanwhile.
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
    return tools_.mpi.peers->vote(*over, ballot);
}

// A rank whose rules throw has reported this already. Here it sends no registrations, and compares
// only the terms.
Obstacle LinkedRank::difference(const data::PartCounts& counts) {
    auto& member = tools_.member;
    std::optional<std::vector<data::Outgoing>> arrays;
    std::string packed;
    try {
        arrays = data::outgoing(member.registry(), counts);
        if (member.is_leader()) packed = data::pack_state(member.registry(), *arrays);
    } catch (const Error&) {
    }
    const auto& vote = *member.membership().comms.vote;
    packed = tools_.mpi.peers->text_of_rank_0(vote, packed);
    const auto& mine = member.hooks().terms;
    const auto first = tools_.mpi.peers->text_of_rank_0(vote, member.is_leader() ? mine : "");
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

void LinkedRank::report_failed(core::TransactionId transaction, const std::string& why) {
    tools_.link.send(wire::SwitchFailed{transaction, why.substr(0, wire::limits::text_bytes)});
}

void LinkedRank::report(SwitchReport report, const Stopwatch& since_arrival) {
    report.leader = tools_.member.is_leader();
    report.degraded = tools_.member.health.degraded;
    tools_.gate.end_switch({report.transaction, report.committed, report.degraded});
    report.stall_s = since_arrival.seconds();
    tools_.link.send(to_wire(report));
}

}  // namespace ductile::engine
