#include "tree/upward_pass.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace ductile::tree {
namespace {

/// Removes a candidate from this branch. Returns false if the process is not a candidate.
bool take_from(Branch& branch, ProcessId id) {
    const auto at = std::ranges::find(branch.candidates, id, &Candidate::id);
    if (at == branch.candidates.end()) return false;
    branch.candidates.erase(at);
    branch.taken.push_back(id);
    --branch.size;
    return true;
}

void drop_empty(std::vector<Branch>& branches) {
    std::erase_if(branches, [](const Branch& branch) { return branch.size == 0; });
}

/// Returns at most `most` candidates of these branches, beginning with large branches. The branches
/// keep only the offered candidates.
std::vector<Candidate> offer(std::vector<Branch>& branches, std::size_t most) {
    std::ranges::stable_sort(branches, std::ranges::greater{}, &Branch::size);
    std::vector<Candidate> offered;
    for (auto& branch : branches) {
        const auto kept = std::min(branch.candidates.size(), most - offered.size());
        branch.candidates.resize(kept);
        branch.candidates.shrink_to_fit();
        offered.insert(offered.end(), branch.candidates.begin(), branch.candidates.end());
    }
    return offered;
}

struct Filled {
    Branch above;
    Relocation relocation;
};

/// A hole picks its filler among branches of one colour. Precondition: no branch is empty.
Filled fill(int level, std::vector<Branch> branches, Filler filler) {
    Filled filled;
    auto& above = filled.above;
    auto& relocation = filled.relocation;
    above.colour = relocation.colour = branches.front().colour;
    above.size = size_of(branches, above.colour);
    relocation.level = level;
    std::ranges::stable_sort(branches, std::ranges::greater{}, &Branch::size);
    const auto offering = std::ranges::find_if(
        branches, [](const Branch& branch) { return !branch.candidates.empty(); });
    if (filler == Filler::leaf && offering != branches.end()) {
        const Candidate victim = offering->candidates.back();
        take_from(*offering, victim.id);
        drop_empty(branches);
        above.top = victim.id;
        above.moves = victim.moves + 1;
        relocation.filling = Filling::leaf;
    } else {
        above.top = branches.front().top;
        above.moves = branches.front().moves + 1;
        relocation.filling = Filling::child;
        branches.erase(branches.begin());
    }
    if (filler == Filler::leaf)
        above.candidates = above.size == 1 ? std::vector{Candidate{above.top, above.moves}}
                                           : offer(branches, candidates_at(level));
    relocation.adopted = std::move(branches);
    return filled;
}

}  // namespace

int size_of(const std::vector<Branch>& branches, Colour colour) {
    int members = 0;
    for (const auto& branch : branches)
        if (branch.colour == colour) members += branch.size;
    return members;
}

void take_out(std::vector<Branch>& branches, const std::vector<ProcessId>& taken) {
    for (const auto id : taken)
        if (!std::ranges::any_of(branches, [id](Branch& branch) { return take_from(branch, id); }))
            throw std::logic_error("process " + std::to_string(id.value) +
                                   " was taken for a filler, but no process below had offered it");
    drop_empty(branches);
}

Shrunk shrink_at(const TreePosition& position, std::optional<Colour> own,
                 std::vector<Branch> branches, Filler filler, LoneBranch lone) {
    Shrunk shrunk;
    // Sort, so that the tree does not depend on the order of arrival.
    std::ranges::sort(branches, {}, [](const Branch& b) { return std::pair{b.colour, b.top}; });
    auto rest = std::span(branches);
    bool own_is_named = false;
    const auto name_own = [&](std::vector<Branch> below) {
        Branch above{*own, position.self, 0, 1 + size_of(below, *own), {}, {}};
        if (filler == Filler::leaf)
            above.candidates = below.empty() ? std::vector{Candidate{position.self, 0}}
                                             : offer(below, candidates_at(position.level));
        shrunk.upwards.branches.push_back(std::move(above));
        shrunk.kept.insert(shrunk.kept.end(), below.begin(), below.end());
        own_is_named = true;
    };
    while (!rest.empty()) {
        const Colour colour = rest.front().colour;
        const auto count = static_cast<std::size_t>(
            std::ranges::find_if(rest, [&](auto& b) { return b.colour != colour; }) - rest.begin());
        const auto move = std::make_move_iterator<Branch*>;
        std::vector<Branch> same(move(rest.data()), move(rest.data() + count));
        rest = rest.subspan(count);
        if (own && *own < colour && !own_is_named) name_own({});
        if (own == colour) {
            name_own(std::move(same));
        } else if (filler == Filler::none) {
            shrunk.upwards.branches.push_back(
                {colour, position.self, 0, size_of(same, colour), {}, {}});
            shrunk.kept.insert(shrunk.kept.end(), same.begin(), same.end());
        } else if (lone == LoneBranch::passed_on && same.size() == 1 && position.parent) {
            shrunk.upwards.branches.push_back(std::move(same.front()));
        } else {
            auto filled = fill(position.level, std::move(same), filler);
            if (!position.parent) {
                filled.relocation.root = true;
                filled.relocation.moves = filled.above.moves;
                filled.relocation.size = filled.above.size;
            }
            shrunk.relocations.push_back({filled.above.top, std::move(filled.relocation)});
            shrunk.upwards.branches.push_back(std::move(filled.above));
        }
    }
    if (own && !own_is_named) name_own({});
    return shrunk;
}

}  // namespace ductile::tree
