#include "tree/centralized.hpp"

#include <algorithm>
#include <utility>

namespace ductile::tree {

std::vector<Part> parts_of(ProcessId self, Roster roster, Outbox& out) {
    auto& members = roster.members;
    std::ranges::stable_sort(members, {}, &Enlisted::colour);
    std::vector<Part> own;
    for (std::size_t from = 0; from < members.size();) {
        Part part;
        part.colour = members[from].colour;
        part.label = roster.labels.lowest_free();
        part.root = true;
        for (; from < members.size() && members[from].colour == part.colour; ++from)
            part.members.push_back(members[from].id);
        part.size = static_cast<int>(part.members.size());
        const auto leads = std::ranges::find(part.members, self);
        if (leads == part.members.end()) {
            const auto first = part.members.front();
            out.push_back({first, std::move(part)});
        } else {
            std::rotate(part.members.begin(), leads, leads + 1);
            own.push_back(std::move(part));
        }
    }
    return own;
}

TreePosition take_part(ProcessId self, std::optional<ProcessId> parent, const Part& part,
                       int branching, Outbox& out) {
    TreePosition position;
    position.self = self;
    position.rank = part.first;
    position.size = part.size;
    position.label = part.label;
    position.level = part.level;
    position.numbering = Numbering::preorder;
    position.parent = parent;
    const auto below = part.members.size() - 1;
    const auto parts = std::min(below, static_cast<std::size_t>(branching));
    position.children.reserve(parts);
    std::size_t from = 1;
    for (std::size_t i = 0; i < parts; ++i) {
        const auto count = below / parts + (i < below % parts ? 1 : 0);
        Part child;
        child.colour = part.colour;
        child.first = part.first + static_cast<int>(from);
        child.size = part.size;
        child.label = part.label;
        child.level = part.level + 1;
        const auto begin = part.members.begin() + static_cast<std::ptrdiff_t>(from);
        child.members.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
        from += count;
        position.children.push_back({child.members.front(), child.first});
        const auto top = child.members.front();
        out.push_back({top, std::move(child)});
    }
    return position;
}

}  // namespace ductile::tree
