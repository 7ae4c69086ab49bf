#include "tree/shrink_and_hash.hpp"

#include "tree/shape.hpp"

namespace ductile::tree {

void hand_ranks(const std::vector<Branch>& branches, int first, const Ranks& told, Outbox& out) {
    for (const auto& branch : branches) {
        out.push_back({branch.top, Ranks{branch.colour, first, told.size, told.label, branch.moves,
                                         branch.taken}});
        first += branch.size;
    }
}

void HashedMember::take_rank(const Ranks& told, const RankHash& hash, Outbox& out) {
    const int rank = told.first;
    position_.rank = rank;
    position_.size = told.size;
    position_.label = told.label;
    position_.level = level_of(rank, branching_);
    awaited_ = (rank > 0 ? 1 : 0) + (child_count(rank, told.size, branching_) > 0 ? 1 : 0);
    out.push_back({hash(rank), Register{told.colour, rank, rank, told.size, branching_}});
    if (rank == 0) return;
    const int above = parent_rank(rank, branching_);
    out.push_back({hash(above), Register{told.colour, above, rank, told.size, branching_}});
}

void HashedMember::on(const ChildrenAre& message) {
    position_.children.clear();
    position_.children.reserve(message.children.size());
    for (const auto id : message.children) {
        const auto i = static_cast<int>(position_.children.size());
        position_.children.push_back(
            {id, static_cast<int>(child_rank(position_.rank, i, branching_))});
    }
    ++told_;
}

std::optional<TreePosition> HashedMember::position() const {
    if (awaited_ != told_) return std::nullopt;
    return position_;
}

}  // namespace ductile::tree
