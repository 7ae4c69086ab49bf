// The methods to make groups (balanced-spanning-trees), and their names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ductile::tree {

enum class Algorithm {
    centralized,         ///< section IV: the reference, O(m) memory
    shrink_and_balance,  ///< section V: moves members until the tree is balanced
    shrink_and_hash,     ///< section VI: assigns ranks; neighbours meet at hashed intermediaries
};

/// How the upward pass closes a hole. A hole is a process that is not a member of the new group.
enum class Filler {
    none,   ///< not closed: the downward pass goes through holes, too
    child,  ///< a member just below moves up and adopts its siblings
    leaf,   ///< a leaf from anywhere below moves up
};

/// What a hole does with a colour of which it has only one branch.
enum class LoneBranch {
    filled,  ///< one relocation, as with several branches (the paper)
    /// The branch goes to the process above, without a relocation. Only the root of the parent
    /// group fills the hole. With the filler `child` this gives the same tree.
    passed_on,
};

/// How many levels a subtree may have before members must move out of it (shrink-and-balance).
enum class Slack {
    inherited,  ///< as many as the height of the whole tree allows: fewest moves (the paper's text)
    none,       ///< as few as its size allows (the paper's Algorithm 1)
};

/// How groups are made. All processes must use the same method.
struct Method {
    Algorithm algorithm = Algorithm::shrink_and_hash;
    Filler filler = Filler::none;  ///< centralized ignores it; shrink_and_balance refuses `none`
    int branching = 3;             ///< k of the new tree
    Slack slack = Slack::inherited;
    LoneBranch lone = LoneBranch::filled;
    bool operator==(const Method&) const = default;
};

/// Throws std::invalid_argument for an impossible method: k out of range, balance with holes.
void require_possible(const Method& method);

inline constexpr std::array all_algorithms{Algorithm::centralized, Algorithm::shrink_and_balance,
                                           Algorithm::shrink_and_hash};
inline constexpr std::array all_fillers{Filler::none, Filler::child, Filler::leaf};

std::string_view to_string(Algorithm algorithm);
std::string_view to_string(Filler filler);
std::optional<Algorithm> algorithm_named(std::string_view name);
std::optional<Filler> filler_named(std::string_view name);

}  // namespace ductile::tree
