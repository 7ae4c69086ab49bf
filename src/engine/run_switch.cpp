#include "engine/run_switch.hpp"

#include <utility>

#include "core/thrown.hpp"

namespace ductile::engine {

namespace {

Obstacle prepare(Switch& what, SwitchRank& rank, Ballot& ballot) {
    try {
        auto registered = rank.registered(what.part_counts());
        ballot.fingerprint = registered.fingerprint;
        return what.prepare(std::move(registered.arrays));
    } catch (...) {  // a function of the program may provide the memory
        return core::text_of_thrown();
    }
}

// Runs before the vote, which has no deadline: the program may take as long as it likes. If the
// program throws, the resize is called off.
Obstacle let_program_act(SwitchRank& rank) {
    try {
        rank.before_move();
        return std::nullopt;
    } catch (...) {
        return "the program's before_move function failed: " + core::text_of_thrown();
    }
}

// True if all ranks vote yes. Otherwise a rank reports why it votes no, or how its registrations
// differ from those of rank 0. The other ranks report no reason.
bool agree(Switch& what, const SwitchPlan& plan, SwitchReport& report, SwitchRank& rank) {
    Ballot ballot{plan.transaction, plan.point};
    auto obstacle = prepare(what, rank, ballot);
    if (auto objection = rank.objection()) obstacle = std::move(objection);
    if (!obstacle) obstacle = let_program_act(rank);
    ballot.yes = !obstacle.has_value();
    const auto tally = rank.vote(nullptr, ballot);
    what.on_first_vote(tally.all_yes);
    if (tally.registrations_differ)
        if (auto difference = rank.difference(what.part_counts())) obstacle = std::move(difference);
    if (!tally.all_yes) report.why = obstacle.value_or("");
    return tally.all_yes;
}

}  // namespace

namespace {

void rebuild(SwitchReport& report, SwitchRank& rank, const Stopwatch& since_arrival) {
    try {
        rank.rebuild(report);
    } catch (...) {
        rank.report(std::move(report), since_arrival);
        throw;
    }
}

void move(Switch& what, SwitchReport& report, SwitchRank& rank) {
    try {
        what.move(report);
    } catch (const ProgramFailed& error) {
        rank.report_failed(report.transaction, error.what());
        throw;
    }
}

}  // namespace

Fate run_switch(Switch& what, const SwitchPlan& plan, SwitchRank& rank) {
    const Stopwatch since_arrival;
    SwitchReport report;
    report.transaction = plan.transaction;
    report.redistribution = plan.redistribution;
    rank.arrive(plan.transaction);
    auto fate = Fate::unchanged;
    if (agree(what, plan, report, rank)) {
        report.vote_s = since_arrival.seconds();
        fate = complete_switch(what, report, rank);
    }
    if (fate == Fate::stays) rebuild(report, rank, since_arrival);
    rank.report(std::move(report), since_arrival);
    return fate;
}

Fate complete_switch(Switch& what, SwitchReport& report, SwitchRank& rank) {
    const auto obstacle = what.carry_out(report);
    const Stopwatch voting;
    const auto voters = what.last_voters();
    // The first vote has already checked the point.
    report.committed =
        !voters || rank.vote(voters, {report.transaction, 0, !obstacle.has_value()}).all_yes;
    if (!report.committed) {
        what.roll_back(report);
        report.why = obstacle.value_or("");
        return Fate::unchanged;
    }
    report.commit_s = voting.seconds();
    move(what, report, rank);
    const Stopwatch adopting;
    auto adoption = what.adopt();
    const auto fate = adoption.fate;
    rank.adopt(std::move(adoption));
    report.commit_s += adopting.seconds();
    return fate;
}

}  // namespace ductile::engine
