// Names of groups. All processes compute the same names without messages.
#pragma once

#include <compare>
#include <cstdint>

namespace ductile::groups {

/// The name of a group, or of an enrolment that makes groups. It is a hash (64 bits) of all
/// enrolments and colours that lead to it. So even a process outside two groups can tell them
/// apart.
struct GroupKey {
    std::uint64_t value = 0;
    auto operator<=>(const GroupKey&) const = default;

    /// If this is the name of a group: the name of its enrolment `number`, in the order of its
    /// enrolments. If this is the name of an enrolment: the name of its group with the colour
    /// `number`. (The finaliser of splitmix64.)
    [[nodiscard]] GroupKey next(std::uint32_t number) const {
        std::uint64_t z = value + (std::uint64_t{number} + 1) * 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return {z ^ (z >> 31U)};
    }
};

}  // namespace ductile::groups
