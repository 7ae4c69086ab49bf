#include "tree/shrink_and_balance.hpp"

#include <stdexcept>
#include <utility>

#include "tree/shape.hpp"

namespace ductile::tree {

void BalancingVertex::step(ShrunkenPlace& place, Outbox& out) {
    if (!told_) return;
    if (!slots_) {
        int owed = 0;
        for (const auto& supply : owed_) owed += supply.amount;
        if (place.moves() != told_->moves || owed != told_->owes) return;
        start(place, out);
    }
    for (auto& piece : std::exchange(early_, {})) slots_->place(std::move(piece), out);
}

void BalancingVertex::start(ShrunkenPlace& place, Outbox& out) {
    Slots::Start start;
    start.self = self_;
    int present = told_->incoming - told_->owes;
    for (auto& branch : place.settle(std::exchange(told_->taken, {}))) {
        present += branch.size;
        start.pieces.push_back({branch.top, branch.moves, branch.size, 0, std::move(branch.taken)});
    }
    if (present != told_->target - 1)
        throw std::logic_error("balancing a group's tree: process " + std::to_string(self_.value) +
                               " has " + std::to_string(present) + " members below it and " +
                               std::to_string(told_->target - 1) + " were planned");
    const int levels =
        slack_ == Slack::inherited ? told_->height : height(told_->target, branching_);
    start.owed = std::exchange(owed_, {});
    start.incoming = told_->incoming;
    start.branching = branching_;
    start.capacity = capacity(levels - 1, branching_);
    start.first = told_->first + 1;
    start.child.colour = told_->colour;
    start.child.size = told_->size;
    start.child.label = told_->label;
    start.child.level = told_->level + 1;
    start.child.height = levels - 1;
    slots_.emplace(std::move(start), out);
}

std::optional<TreePosition> BalancingVertex::position() const {
    if (!slots_ || !slots_->complete()) return std::nullopt;
    TreePosition position;
    position.self = self_;
    position.rank = told_->first;
    position.size = told_->size;
    position.label = told_->label;
    position.level = told_->level;
    position.numbering = Numbering::preorder;
    position.parent = parent_;
    position.children.reserve(slots_->slots().size());
    for (const auto& slot : slots_->slots()) position.children.push_back({*slot.head, slot.first});
    return position;
}

std::size_t BalancingVertex::bytes() const {
    std::size_t sum =
        sizeof(*this) + owed_.capacity() * sizeof(Supply) + early_.capacity() * sizeof(Piece);
    for (const auto& piece : early_) sum += piece.taken.capacity() * sizeof(ProcessId);
    if (told_) sum += told_->taken.capacity() * sizeof(ProcessId);
    if (slots_) sum += slots_->slots().capacity() * sizeof(Slots::Slot);
    return sum;
}

}  // namespace ductile::tree
