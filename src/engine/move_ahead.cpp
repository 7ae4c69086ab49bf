#include "engine/move_ahead.hpp"

#include <utility>

namespace ductile::engine {

MoveAhead::MoveAhead(const JoinedSides& joined, int sources, std::vector<data::Outgoing> mine,
                     data::Progress& progress, const MpiCalls& mpi)
    : joined_(joined),
      sources_(sources),
      mine_(std::move(mine)),
      progress_(progress),
      mpi_(mpi),
      place_(mpi.peers->place_in(*joined.comms.switching)),
      state_(unpack_join_state(joined.state)) {}

void MoveAhead::agree() {
    const auto offered = data::unpack_state(state_.packed).arrays;
    if (offered.empty()) return;
    const auto& all = *joined_.comms.switching;
    auto held = place_.rank < sources_ ? data::held_alike(mine_, offered)
                                       : std::vector<std::uint8_t>(offered.size(), 1);
    held = mpi_.join->min_of_all(all, held, progress_);
    ahead_.arrays = data::chosen_of(offered, held, mine_);
}

data::MovedAhead MoveAhead::move(bool verify) {
    if (ahead_.arrays.empty()) return {};
    const auto& all = *joined_.comms.switching;
    const auto parties = parties_of(state_, sources_, place_.size);
    if (verify) ahead_.sums = data::sums_of_parts(ahead_.arrays);
    ahead_.parts = data::allocate_parts(core::Rank{place_.rank}, parties, ahead_.arrays);
    ahead_.moved = mpi_.peers->move(state_.redistribution, all,
                                    {parties, ahead_.arrays, ahead_.parts, verify}, progress_);
    mpi_.join->await_all_ahead(all, progress_);
    return std::move(ahead_);
}

}  // namespace ductile::engine
