#include "tree/tree_check.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace ductile::tree {
namespace {

[[noreturn]] void wrong(const TreePosition& position, const std::string& what) {
    throw std::logic_error("process " + std::to_string(position.self.value) + ", rank " +
                           std::to_string(position.rank) + ": " + what);
}

class Checker {
  public:
    explicit Checker(const std::vector<TreePosition>& positions) : positions_(positions) {
        for (const auto& position : positions)
            if (!by_id_.emplace(position.self, &position).second) wrong(position, "is there twice");
    }

    TreeFacts facts() {
        std::vector<bool> has_rank(positions_.size());
        TreeFacts facts;
        facts.members = static_cast<int>(positions_.size());
        for (const auto& position : positions_) {
            check_self(position, has_rank);
            check_children(position);
            facts.height = std::max(facts.height, position.level + 1);
            facts.largest_degree =
                std::max(facts.largest_degree, static_cast<int>(position.children.size()));
        }
        return facts;
    }

  private:
    void check_self(const TreePosition& position, std::vector<bool>& has_rank) const {
        if (position.size != static_cast<int>(positions_.size()))
            wrong(position, "has a wrong group size");
        if (position.label != positions_.front().label)
            wrong(position, "has another label than the group");
        if (position.rank < 0 || position.rank >= position.size)
            wrong(position, "has a rank outside the group");
        const auto rank = static_cast<std::size_t>(position.rank);
        if (has_rank[rank]) wrong(position, "has the rank of another process");
        has_rank[rank] = true;
        if (position.parent.has_value() != (position.rank > 0))
            wrong(position, "has a parent as rank 0, or has no parent as another rank");
        if (!position.parent && position.level != 0)
            wrong(position, "is the root, but not on level 0");
        // Levels rise by one from parent to child, so a chain of parents cannot be a ring.
        if (!position.parent) return;
        const auto& parent = position_of(position, *position.parent);
        if (std::ranges::count(parent.children, position.self, &Child::id) != 1)
            wrong(position, "is not its parent's child");
        if (position.level != parent.level + 1)
            wrong(position, "is not one level below its parent");
    }

    void check_children(const TreePosition& position) const {
        int next = position.rank;
        for (const auto& child : position.children) {
            const auto& below = position_of(position, child.id);
            if (below.parent != position.self)
                wrong(position, "has a child that names another parent");
            if (below.rank != child.rank) wrong(position, "has a wrong rank for a child");
            if (below.rank <= next) wrong(position, "has children out of order");
            next = below.rank;
        }
    }

    const TreePosition& position_of(const TreePosition& asked_by, ProcessId id) const {
        const auto at = by_id_.find(id);
        if (at == by_id_.end())
            wrong(asked_by,
                  "names process " + std::to_string(id.value) + ", which is not a member");
        return *at->second;
    }

    const std::vector<TreePosition>& positions_;
    std::unordered_map<ProcessId, const TreePosition*> by_id_;
};

}  // namespace

TreeFacts check_tree(const std::vector<TreePosition>& positions) {
    return Checker{positions}.facts();
}

}  // namespace ductile::tree
