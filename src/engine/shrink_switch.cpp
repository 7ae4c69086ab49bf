#include "engine/shrink_switch.hpp"

#include <algorithm>

#include "engine/program_moves.hpp"
#include "engine/stopwatch.hpp"

namespace ductile::engine {

Obstacle ShrinkSwitch::prepare(std::vector<data::Outgoing> arrays) {
    auto& member = tools_.member;
    const auto& before = member.membership().layout;
    movement_.parties = {first_ranks(member.size()), ranks_that_stay(before, plan_.after)};
    const core::Rank me{member.rank()};
    const auto& targets = movement_.parties.targets;
    if (std::binary_search(targets.begin(), targets.end(), me))
        fate_ = Fate::stays;
    else if (plan_.after.holds(before.at(me)))
        fate_ = Fate::parks;
    movement_.arrays = std::move(arrays);
    movement_.verify = tools_.link.welcome().verify;
    movement_.memory = plan_.memory;
    movement_.new_parts = data::allocate_parts(me, movement_.parties, movement_.arrays);
    return std::nullopt;
}

void ShrinkSwitch::move(SwitchReport& report) {
    const auto& all = *tools_.member.membership().comms.switching;
    const Stopwatch moving;
    data::Progress progress;
    const auto moved = tools_.mpi.peers->move(plan_.redistribution, all, movement_, progress);
    let_program_move(telling_moves(tools_.member.hooks().schema, tools_.link, plan_.transaction),
                     *tools_.member.membership().comms.job, movement_.parties);
    report.redistribute_s = moving.seconds();
    report.bytes_sent = moved.bytes_sent;
    report.peak_bytes = moved.bytes_new;

    // Only the ranks that stay call MPI_Comm_create_group: they do not wait for the leavers.
    const Stopwatch splitting;
    if (fate_ == Fate::stays) comms_ = tools_.mpi.peers->among(all, movement_.parties.targets);
    report.join_s = splitting.seconds();
}

Adoption ShrinkSwitch::adopt() {
    auto& member = tools_.member;
    const auto& before = member.membership();
    Membership next;
    next.comms = std::move(comms_);
    next.layout = plan_.after;
    next.point = plan_.point;
    if (next.layout.parked_size() > 0) {
        next.before_parking = before.before_parking;
        if (!next.before_parking)
            next.before_parking = BeforeParking{before.comms.switching, before.layout};
    }
    if (fate_ == Fate::parks) next.comms.job = before.comms.job;
    // A rank that parks has no new parts, and its old memory is freed.
    if (fate_ != Fate::leaves) member.adopt_parts(movement_.new_parts);
    return {std::move(next), fate_};
}

}  // namespace ductile::engine
