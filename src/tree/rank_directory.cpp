#include "tree/rank_directory.hpp"

#include <algorithm>

#include "tree/shape.hpp"

namespace ductile::tree {

void RankDirectory::on_register(ProcessId from, const Register& message, Outbox& out) {
    rank_ = message.place;
    if (message.rank == message.place)
        holder_ = from;
    else
        children_.push_back({from, message.rank});
    const int expected = child_count(message.place, message.size, message.branching);
    if (!holder_ || children_.size() < static_cast<std::size_t>(expected) || expected == 0) return;
    std::ranges::sort(children_, {}, &Child::rank);
    ChildrenAre children{colour_, {}};
    for (const auto& child : children_) {
        children.children.push_back(child.id);
        out.push_back({child.id, ParentIs{colour_, *holder_}});
    }
    out.push_back({*holder_, std::move(children)});
    children_ = {};
}

void RankDirectories::on_register(ProcessId from, const Register& message, Outbox& out) {
    auto entry = std::ranges::find_if(entries_, [&](const RankDirectory& e) {
        return e.colour() == message.colour && e.rank() == message.place;
    });
    if (entry == entries_.end()) entry = entries_.insert(entry, RankDirectory{message.colour});
    entry->on_register(from, message, out);
}

std::optional<ProcessId> RankDirectories::holder(Colour colour, int rank) const {
    for (const auto& entry : entries_)
        if (entry.colour() == colour && entry.rank() == rank) return entry.holder();
    return std::nullopt;
}

void RankDirectories::forget(Colour colour, int rank) {
    std::erase_if(entries_, [&](const RankDirectory& entry) {
        return entry.colour() == colour && entry.rank() == rank;
    });
}

std::size_t RankDirectories::bytes() const {
    std::size_t sum = sizeof(*this) + entries_.capacity() * sizeof(RankDirectory);
    for (const auto& entry : entries_) sum += entry.bytes() - sizeof(entry);
    return sum;
}

}  // namespace ductile::tree
