#include "tree/tree_check.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace ductile::tree {
namespace {

[[noreturn]] void wrong(const Seat& seat, const std::string& what) {
    throw std::logic_error("process " + std::to_string(seat.self.value) + ", rank " +
                           std::to_string(seat.rank) + ": " + what);
}

class Checker {
  public:
    explicit Checker(const std::vector<Seat>& seats) : seats_(seats) {
        for (const auto& seat : seats)
            if (!by_id_.emplace(seat.self, &seat).second) wrong(seat, "sits there twice");
    }

    TreeFacts facts() {
        std::vector<bool> has_rank(seats_.size());
        TreeFacts facts;
        facts.members = static_cast<int>(seats_.size());
        for (const auto& seat : seats_) {
            check_self(seat, has_rank);
            check_children(seat);
            facts.height = std::max(facts.height, seat.level + 1);
            facts.largest_degree =
                std::max(facts.largest_degree, static_cast<int>(seat.children.size()));
        }
        return facts;
    }

  private:
    void check_self(const Seat& seat, std::vector<bool>& has_rank) const {
        if (seat.size != static_cast<int>(seats_.size())) wrong(seat, "has a wrong group size");
        if (seat.label != seats_.front().label) wrong(seat, "has a label of its own");
        if (seat.rank < 0 || seat.rank >= seat.size) wrong(seat, "has no rank of the group");
        const auto rank = static_cast<std::size_t>(seat.rank);
        if (has_rank[rank]) wrong(seat, "has another's rank");
        has_rank[rank] = true;
        if (seat.parent.has_value() != (seat.rank > 0)) wrong(seat, "is root and is not");
        if (!seat.parent && seat.level != 0) wrong(seat, "is a root on a level of its own");
        // Levels rise by one from parent to child, so a chain of parents cannot be a ring.
        if (!seat.parent) return;
        const auto& parent = seat_of(seat, *seat.parent);
        if (std::ranges::count(parent.children, seat.self, &Child::id) != 1)
            wrong(seat, "is not its parent's child");
        if (seat.level != parent.level + 1) wrong(seat, "is not one level below its parent");
    }

    void check_children(const Seat& seat) const {
        int next = seat.rank;
        for (const auto& child : seat.children) {
            const auto& below = seat_of(seat, child.id);
            if (below.parent != seat.self) wrong(seat, "has a child that names another parent");
            if (below.rank != child.rank) wrong(seat, "believes a wrong rank of a child");
            if (below.rank <= next) wrong(seat, "has children out of order");
            next = below.rank;
        }
    }

    const Seat& seat_of(const Seat& asked_by, ProcessId id) const {
        const auto at = by_id_.find(id);
        if (at == by_id_.end())
            wrong(asked_by, "names process " + std::to_string(id.value) + ", no member");
        return *at->second;
    }

    const std::vector<Seat>& seats_;
    std::unordered_map<ProcessId, const Seat*> by_id_;
};

}  // namespace

TreeFacts check_tree(const std::vector<Seat>& seats) {
    return Checker{seats}.facts();
}

}  // namespace ductile::tree
