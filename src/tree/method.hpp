// The ways to make groups, by their names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ductile::tree {

enum class Algorithm {
    centralized,         ///< section IV: the reference, O(m) memory
    shrink_and_balance,  ///< section V: moves members until the tree is balanced
    shrink_and_hash,     ///< section VI: hands out ranks; neighbours meet at hashed intermediaries
};

/// How a hole, a process that is no member of the new group, is closed in the upward pass.
enum class Filler {
    none,   ///< not at all: the downward pass goes over holes, too
    child,  ///< a member just below moves up and adopts its siblings
    leaf,   ///< a leaf from anywhere below moves up
};

/// What a hole does with a colour of which it has one branch only.
enum class LoneBranch {
    filled,     ///< as with several (the paper): one relocation
    passed_on,  ///< the branch's top is named to the process above, which gets the same tree
};

/// How deep the subtrees may be in which nothing needs to move (shrink-and-balance).
enum class Slack {
    inherited,  ///< what the whole tree's height leaves: the fewest moves (the paper's text)
    none,       ///< each subtree as shallow as its size allows (the paper's Algorithm 1)
};

/// How groups are made; the same at every process.
struct Method {
    Algorithm algorithm = Algorithm::shrink_and_hash;
    Filler filler = Filler::none;  ///< no meaning for centralized; not `none` for balance
    int branching = 3;             ///< k, of the new tree
    Slack slack = Slack::inherited;
    LoneBranch lone = LoneBranch::filled;
    bool operator==(const Method&) const = default;
};

/// Throws std::invalid_argument for a method that cannot be: k out of range, balance with holes.
void require_possible(const Method& method);

inline constexpr std::array all_algorithms{Algorithm::centralized, Algorithm::shrink_and_balance,
                                           Algorithm::shrink_and_hash};
inline constexpr std::array all_fillers{Filler::none, Filler::child, Filler::leaf};

std::string_view to_string(Algorithm algorithm);
std::string_view to_string(Filler filler);
std::optional<Algorithm> algorithm_named(std::string_view name);
std::optional<Filler> filler_named(std::string_view name);

}  // namespace ductile::tree
