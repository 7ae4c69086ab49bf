// The place of a member in the shrunken tree while relocations reach it, in any order.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// What is below a member in the tree of members only. Holes above the member may move it up
/// several times. Each move is a message, and the messages may overtake each other. Their levels
/// restore the order: after the member moved as a leaf to a level, all branches that it had or got
/// at a deeper level are void.
class ShrunkenPlace {
  public:
    /// Keeps what the upward pass left below this process, at its own level.
    void keep(int level, std::vector<Branch> branches);
    /// Takes a relocation in.
    void relocate(Relocation relocation);

    /// The number of relocations taken in so far. The member acts when it has taken in all that
    /// were sent.
    [[nodiscard]] int moves() const { return moves_; }
    /// The relocation to the root of the new tree, if there was one.
    struct Root {
        int moves = 0;
        int size = 0;
        int label = 0;
    };
    [[nodiscard]] const std::optional<Root>& root() const { return root_; }
    /// Returns the branches below the member, without the members that processes above took, and
    /// clears them here.
    std::vector<Branch> settle(const std::vector<ProcessId>& taken);

    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Adopted {
        int level;
        std::vector<Branch> branches;
    };
    std::vector<Adopted> adopted_;
    std::optional<int> left_below_;  // the level nearest to the root to which it moved as a leaf
    int moves_ = 0;
    std::optional<Root> root_;
};

/// The heap memory of branches, in bytes.
std::size_t heap_bytes(const std::vector<Branch>& branches);

}  // namespace ductile::tree
