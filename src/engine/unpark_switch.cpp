#include "engine/unpark_switch.hpp"

#include "core/thrown.hpp"
#include "engine/program_moves.hpp"
#include "engine/stopwatch.hpp"

namespace ductile::engine {

namespace {

// Builds the layout of the members: while a parked rank slept, others may have left or come back.
core::Layout members_of(const BeforeParking& before, const Verdict& verdict) {
    core::Layout layout;
    for (int i = 0; i < verdict.members; ++i) {
        const auto was = verdict.all[static_cast<std::size_t>(i)];
        const auto process = before.layout.at(was);
        layout.active.push_back({process.group, before.layout.host_of(was), process.rank, 1});
    }
    layout.slots = before.layout.slots;
    return layout;
}

}  // namespace

UnparkSwitch::UnparkSwitch(const SwitchTools& tools, const SwitchPlan& plan)
    : tools_(tools),
      before_(tools.member.membership().before_parking.value()),
      verdict_{plan.transaction, tools.member.size(), ranks_before(before_, plan.after)},
      members_before_(members_of(before_, verdict_)),
      state_{plan.point, plan.after, {}, {}, plan.redistribution, plan.memory} {}

UnparkSwitch::UnparkSwitch(const SwitchTools& tools, const Verdict& verdict)
    : tools_(tools),
      before_(tools.member.membership().before_parking.value()),
      verdict_(verdict),
      members_before_(members_of(before_, verdict_)) {}

Obstacle UnparkSwitch::prepare(std::vector<data::Outgoing> arrays) {
    movement_.arrays = std::move(arrays);
    return std::nullopt;
}

void UnparkSwitch::on_first_vote(bool yes) {
    if (!tools_.member.is_leader()) return;
    const auto& all = verdict_.all;
    auto said = verdict_;
    if (!yes) said.all.clear();
    for (auto i = static_cast<std::size_t>(verdict_.members); i < all.size(); ++i)
        tools_.mpi.peers->send_verdict(*before_.comm, said, all[i]);
}

// If the last vote is a no, nothing has changed. A rank may vote no because it lacks memory.
Obstacle UnparkSwitch::carry_out(SwitchReport& report) {
    auto& member = tools_.member;
    const Stopwatch joining;
    comms_ = tools_.mpi.peers->among(*before_.comm, verdict_.all);
    report.join_s = joining.seconds();
    const auto& all = *comms_.switching;
    place_ = tools_.mpi.peers->place_in(all);
    if (place_.rank == 0) state_.packed = data::pack_state(member.registry(), movement_.arrays);
    state_ = unpack_join_state(
        tools_.mpi.peers->text_of_rank_0(all, place_.rank == 0 ? pack_join_state(state_) : ""));
    movement_.verify = tools_.link.welcome().verify;
    movement_.memory = state_.memory;
    movement_.parties = {first_ranks(verdict_.members), first_ranks(place_.size)};
    try {
        // On a parked rank, which has slept until now.
        if (place_.rank >= verdict_.members) member.preparation.make(state_.layout);
        // On a rank for which prepare() was not called.
        if (movement_.arrays.empty())
            movement_.arrays = data::outgoing(member.registry(), part_counts());
        data::expect_same(member.registry(), movement_.arrays, data::unpack_state(state_.packed));
        movement_.new_parts =
            data::allocate_parts(core::Rank{place_.rank}, movement_.parties, movement_.arrays);
    } catch (...) {  // a function of the program may provide the memory
        return core::text_of_thrown();
    }
    return std::nullopt;
}

void UnparkSwitch::move(SwitchReport& report) {
    const Stopwatch moving;
    data::Progress progress;
    const auto moved =
        tools_.mpi.peers->move(state_.redistribution, *comms_.switching, movement_, progress);
    let_program_move(telling_moves(tools_.member.hooks().schema, tools_.link, verdict_.transaction),
                     *comms_.job, movement_.parties);
    report.redistribute_s = moving.seconds();
    report.bytes_sent = moved.bytes_sent;
    report.peak_bytes = moved.bytes_new;
}

Adoption UnparkSwitch::adopt() {
    auto& member = tools_.member;
    if (place_.rank != 0) data::adopt_values(member.registry(), data::unpack_state(state_.packed));
    member.adopt_parts(movement_.new_parts);
    Membership next;
    next.comms = std::move(comms_);
    next.layout = state_.layout;
    next.point = state_.point;
    if (next.layout.parked_size() > 0) next.before_parking = before_;
    return {std::move(next), Fate::stays};
}

}  // namespace ductile::engine
