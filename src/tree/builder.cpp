#include "tree/builder.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "tree/centralized.hpp"
#include "tree/shape.hpp"

namespace ductile::tree {

Builder::Builder(const Method& method, TreePosition position, std::optional<Colour> own,
                 const HashFamily& hashes)
    : method_(method),
      position_(std::move(position)),
      own_(own),
      hashes_(hashes),
      hashed_(position_.self, method.branching),
      balancing_(position_.self, method.branching, method.slack) {
    require_possible(method);
}

void Builder::start(Outbox& out, const LabelSet& labels) {
    started_ = true;
    labels_.merge(labels);
    enrol_if_due(out);
}

void Builder::on_message(ProcessId from, Message message, Outbox& out) {
    std::visit([&](auto& m) { on(from, std::move(m), out); }, message);
    if (!own_) return;
    step(out);
}

void Builder::on(ProcessId, Enrolled&& message, Outbox& out) {
    std::ranges::move(message.branches, std::back_inserter(branches_));
    labels_.merge(message.labels);
    ++reports_;
    enrol_if_due(out);
}

void Builder::on(ProcessId, Roster&& message, Outbox& out) {
    roster_.insert(roster_.end(), message.members.begin(), message.members.end());
    labels_.merge(message.labels);
    ++reports_;
    enrol_if_due(out);
}

void Builder::enrol_if_due(Outbox& out) {
    if (!started_ || enrolled_ || reports_ < position_.children.size()) return;
    enrolled_ = true;
    if (method_.algorithm == Algorithm::centralized) return enrol_centrally(out);
    auto shrunk =
        shrink_at(position_, own_, std::exchange(branches_, {}), method_.filler, method_.lone);
    std::vector<Branch> below;
    for (auto& branch : shrunk.kept)
        (own_ == branch.colour ? below : branches_).push_back(std::move(branch));
    branches_.shrink_to_fit();
    place_.keep(position_.level, std::move(below));
    const auto& all = shrunk.upwards.branches;
    const int label = labels_.lowest_free();  // valid only at the root
    const auto own = std::ranges::find_if(all, [&](auto& b) { return own_ == b.colour; });
    const int own_size = own == all.end() ? 0 : own->size;
    if (position_.parent) {
        shrunk.upwards.labels = std::exchange(labels_, {});
        out.push_back({*position_.parent, std::move(shrunk.upwards)});
    } else if (method_.filler == Filler::none) {
        for (const auto& branch : all)
            if (own_ != branch.colour)
                on(position_.self, Ranks{branch.colour, 0, branch.size, label, 0, {}}, out);
    }
    for (auto& relocation : shrunk.relocations) {
        std::get<Relocation>(relocation.message).label = label;
        out.push_back(std::move(relocation));
    }
    if (!position_.parent && own_) {
        lead(own_size, 0, label, out);
        step(out);
    }
}

void Builder::enrol_centrally(Outbox& out) {
    auto roster = std::exchange(roster_, {});
    if (own_) roster.insert(roster.begin(), Enlisted{*own_, position_.self});
    if (position_.parent) {
        out.push_back({*position_.parent, Roster{std::move(roster), std::exchange(labels_, {})}});
        return;
    }
    for (auto& part :
         parts_of(position_.self, {std::move(roster), std::exchange(labels_, {})}, out))
        on(position_.self, std::move(part), out);
}

void Builder::on(ProcessId from, Part&& message, Outbox& out) {
    const auto parent = message.root ? std::nullopt : std::optional{from};
    built_ = take_part(position_.self, parent, message, method_.branching, out);
}

/// The root of the new group tells itself what other members learn from their parent.
void Builder::lead(int size, int moves, int label, Outbox& out) {
    if (method_.algorithm == Algorithm::shrink_and_hash) {
        on(position_.self, Ranks{*own_, 0, size, label, moves, {}}, out);
        return;
    }
    Balance told;
    told.colour = *own_;
    told.size = told.target = size;
    told.height = height(size, method_.branching);
    told.label = label;
    told.moves = moves;
    balancing_.take_place(std::nullopt, std::move(told));
}

void Builder::on(ProcessId, Relocation&& message, Outbox& out) {
    const bool root = message.root;
    place_.relocate(std::move(message));
    if (root) lead(place_.root()->size, place_.root()->moves, place_.root()->label, out);
}

void Builder::on(ProcessId, Ranks&& message, Outbox& out) {
    if (own_ == message.colour) {
        ranks_ = std::move(message);
        return;
    }
    // A hole passes the ranks on to the members below it.
    const auto mine = [&](const Branch& branch) { return branch.colour == message.colour; };
    std::vector<Branch> below;
    std::ranges::copy_if(branches_, std::back_inserter(below), mine);
    std::erase_if(branches_, mine);
    if (branches_.empty()) branches_ = {};
    hand_ranks(below, message.first, message, out);
}

void Builder::take_ranks_if_due(Outbox& out) {
    if (!ranks_ || place_.moves() != ranks_->moves) return;
    const Ranks told = *std::exchange(ranks_, std::nullopt);
    hand_ranks(place_.settle(told.taken), told.first + 1, told, out);
    hashed_.take_rank(told, hashes_.of(*own_), out);
}

void Builder::on(ProcessId, const ChildrenAre& message, Outbox&) {
    hashed_.on(message);
}

void Builder::on(ProcessId, const ParentIs& message, Outbox&) {
    hashed_.on(message);
}

void Builder::on(ProcessId from, Balance&& message, Outbox&) {
    balancing_.take_place(from, std::move(message));
}

void Builder::on(ProcessId, const Supply& message, Outbox&) {
    balancing_.owe(message);
}

void Builder::on(ProcessId, Handed&& message, Outbox&) {
    balancing_.receive(std::move(message.piece));
}

template <class Other>
void Builder::on(ProcessId from, const Other&, Outbox&) {
    throw std::logic_error("building a group: process " + std::to_string(position_.self.value) +
                           " got a message that is not for a builder, from process " +
                           std::to_string(from.value));
}

void Builder::step(Outbox& out) {
    if (built_ || method_.algorithm == Algorithm::centralized) return;
    if (method_.algorithm == Algorithm::shrink_and_hash) {
        take_ranks_if_due(out);
        built_ = hashed_.position();
    } else {
        balancing_.step(place_, out);
        built_ = balancing_.position();
    }
}

std::size_t Builder::bytes() const {
    std::size_t sum = sizeof(*this) + position_.children.capacity() * sizeof(Child) +
                      heap_bytes(branches_) + labels_.heap_bytes() +
                      roster_.capacity() * sizeof(Enlisted) + place_.bytes() - sizeof(place_) +
                      hashed_.bytes() - sizeof(hashed_) + balancing_.bytes() - sizeof(balancing_);
    if (ranks_) sum += ranks_->taken.capacity() * sizeof(ProcessId);
    if (built_) sum += built_->children.capacity() * sizeof(Child);
    return sum;
}

}  // namespace ductile::tree
