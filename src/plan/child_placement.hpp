// Where processes start that a program asks for itself (MPI_Comm_spawn). Pure.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/layout.hpp"

namespace ductile::plan {

/// A host of the job on which processes can be started.
struct ChildHost {
    core::HostIndex host;
    std::string name;
    int free_slots = 0;  ///< at least 0
};

/// What an info object says (MPI 5.0, section 11.8.4): `host`, `hosts` and `add-host` hold names,
/// each with a number of processes if it likes.
struct HostWish {
    std::string name;
    int ranks = 0;  ///< 0: not said
    bool operator==(const HostWish&) const = default;
};

/// "a:2,b" is {{a, 2}, {b, 0}}. Empty where a number is no number from 1 to 2^20.
std::vector<HostWish> parse_host_wishes(std::string_view text);

/// Ranks in the order of their MPI_COMM_WORLD, each host once; or why not, which follows "cannot
/// start N processes: ". Without wishes: into free slots first, in the order of the hosts; what is
/// left shares the slots of the last host that has got some, or of `home`, where the rank is that
/// asks. With wishes: the named hosts get what they are named with, those without a number an equal
/// part of the rest.
///
/// Example: 3 ranks, free slots {a: 1, b: 1}, home a: {a: 1, b: 2}.
std::variant<std::vector<core::Share>, std::string> place_children(
    int ranks, const std::vector<HostWish>& wishes, const std::vector<ChildHost>& hosts,
    core::HostIndex home);

}  // namespace ductile::plan
