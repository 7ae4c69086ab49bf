#include "engine/run_switch.hpp"

#include <utility>

namespace ductile::engine {

namespace {

// True when all ranks will try.
bool agree(Switch& what, const SwitchPlan& plan, SwitchReport& report, SwitchRank& rank) {
    auto obstacle = what.prepare();
    if (auto objection = rank.objection()) obstacle = std::move(objection);
    const bool yes =
        rank.vote(nullptr, {plan.transaction, plan.point, !obstacle.has_value(), false});
    what.on_first_vote(yes);
    if (!yes) report.why = obstacle.value_or("another rank voted no");
    return yes;
}

}  // namespace

Fate run_switch(Switch& what, const SwitchPlan& plan, SwitchRank& rank) {
    const Stopwatch since_arrival;
    SwitchReport report;
    report.transaction = plan.transaction;
    rank.arrive(plan.transaction);
    auto fate = Fate::unchanged;
    if (agree(what, plan, report, rank)) {
        report.vote_s = since_arrival.seconds();
        fate = complete_switch(what, report, rank);
    }
    rank.report(std::move(report), since_arrival);
    return fate;
}

Fate complete_switch(Switch& what, SwitchReport& report, SwitchRank& rank) {
    const auto obstacle = what.carry_out(report);
    const Stopwatch voting;
    const auto voters = what.last_voters();
    // The point was agreed on by the first vote.
    report.committed =
        !voters || rank.vote(voters, {report.transaction, 0, !obstacle.has_value(), false});
    if (!report.committed) {
        auto why = what.roll_back(report);
        report.why = obstacle.value_or(std::move(why));
        return Fate::unchanged;
    }
    report.commit_s = voting.seconds();
    what.move(report);
    const Stopwatch adopting;
    auto adoption = what.adopt();
    const auto fate = adoption.fate;
    rank.adopt(std::move(adoption));
    report.commit_s += adopting.seconds();
    return fate;
}

}  // namespace ductile::engine
