// Names of groups that all processes derive alike, without a word.
#pragma once

#include <compare>
#include <cstdint>

namespace ductile::groups {

/// A group, or an enrolment that makes groups. 64 bits mixed from the way to it, so that a process
/// which is in none of the groups on that way can tell two of them apart.
struct GroupKey {
    std::uint64_t value = 0;
    auto operator<=>(const GroupKey&) const = default;

    /// What is made out of this as the `number`th: the enrolments of a group, in their order, and
    /// the groups of an enrolment, by colour. (The finaliser of splitmix64.)
    [[nodiscard]] GroupKey next(std::uint32_t number) const {
        std::uint64_t z = value + (std::uint64_t{number} + 1) * 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return {z ^ (z >> 31U)};
    }
};

}  // namespace ductile::groups
