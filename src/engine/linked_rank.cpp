#include "engine/linked_rank.hpp"

#include <utility>

namespace ductile::engine {

void LinkedRank::arrive(core::TransactionId transaction) {
    if (tools_.member.is_leader()) tools_.link.send(wire::Arrived{transaction});
}

bool LinkedRank::vote(const mpi::SharedComm& voters, const Ballot& ballot) {
    const auto over = voters ? voters : tools_.member.membership().comms.vote;
    return cast_vote(*over, ballot).all_yes;
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
