// Where a member stands in the shrunken tree while relocations reach it, in any order.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// What is below a member in the tree of members only. Holes above it may move it up several times,
/// each by a message of its own, and the messages may overtake each other. Their levels put them
/// right: what a member had below it, or was given, at a level deeper than one to which it moved as
/// a leaf is void.
class ShrunkenPlace {
  public:
    /// What the upward pass left below this process, at its own level.
    void keep(int level, std::vector<Branch> branches);
    /// Takes a relocation in.
    void relocate(Relocation relocation);

    /// The relocations taken in so far: the member acts once these are all that were sent.
    [[nodiscard]] int moves() const { return moves_; }
    /// The relocation to the root of the new tree, if there was one.
    struct Root {
        int moves = 0;
        int size = 0;
        int label = 0;
    };
    [[nodiscard]] const std::optional<Root>& root() const { return root_; }
    /// The branches below the member, given up by this object, with what processes above took.
    std::vector<Branch> settle(const std::vector<ProcessId>& taken);

    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Adopted {
        int level;
        std::vector<Branch> branches;
    };
    std::vector<Adopted> adopted_;
    std::optional<int> left_below_;  // the highest level to which it moved as a leaf
    int moves_ = 0;
    std::optional<Root> root_;
};

/// The heap that branches take, in bytes.
std::size_t heap_bytes(const std::vector<Branch>& branches);

}  // namespace ductile::tree
