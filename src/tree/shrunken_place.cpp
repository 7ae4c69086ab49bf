#include "tree/shrunken_place.hpp"

#include <algorithm>
#include <utility>

#include "tree/upward_pass.hpp"

namespace ductile::tree {

void ShrunkenPlace::keep(int level, std::vector<Branch> branches) {
    if (!branches.empty()) adopted_.push_back({level, std::move(branches)});
}

void ShrunkenPlace::relocate(Relocation relocation) {
    ++moves_;
    if (relocation.filling == Filling::leaf)
        left_below_ = std::min(left_below_.value_or(relocation.level), relocation.level);
    keep(relocation.level, std::move(relocation.adopted));
    if (left_below_)
        std::erase_if(adopted_, [this](const Adopted& a) { return a.level > *left_below_; });
    if (relocation.root) root_ = Root{relocation.moves, relocation.size, relocation.label};
}

std::vector<Branch> ShrunkenPlace::settle(const std::vector<ProcessId>& taken) {
    std::vector<Branch> all;
    for (auto& adopted : std::exchange(adopted_, {}))
        std::ranges::move(adopted.branches, std::back_inserter(all));
    take_out(all, taken);
    return all;
}

std::size_t ShrunkenPlace::bytes() const {
    std::size_t sum = sizeof(*this) + adopted_.capacity() * sizeof(Adopted);
    for (const auto& adopted : adopted_) sum += heap_bytes(adopted.branches);
    return sum;
}

std::size_t heap_bytes(const std::vector<Branch>& branches) {
    std::size_t sum = branches.capacity() * sizeof(Branch);
    for (const auto& branch : branches)
        sum += branch.candidates.capacity() * sizeof(Candidate) +
               branch.taken.capacity() * sizeof(ProcessId);
    return sum;
}

}  // namespace ductile::tree
