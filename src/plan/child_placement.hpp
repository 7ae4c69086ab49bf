// Decides where the processes start that a program requests itself (MPI_Comm_spawn). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/host_share.hpp"
#include "core/layout.hpp"

namespace ductile::plan {

/// A host of the job on which processes can be started.
struct ChildHost {
    core::HostIndex host;
    std::string name;
    int free_slots = 0;  ///< at least 0
    /// How many processes it may take in all, at least free_slots; nullopt: any number.
    std::optional<int> room{};
    std::string host_name{};  ///< by gethostname; empty: not known
};

/// Reads what an info object requests (MPI 5.0, section 11.8.4): `host`, `hosts` and `add-host`
/// hold names, each with an optional number of processes. "a:2,b" is {{a, 2}, {b}}. Empty if a part
/// cannot be read (core::read_host_share()).
std::vector<core::HostShare> read_host_shares(std::string_view text,
                                              const std::vector<ChildHost>& hosts);
/// The host with this name, or else the first one with this host name, which is what
/// MPI_Get_processor_name returns there; hosts.end() if there is none.
std::vector<ChildHost>::const_iterator find_host(std::string_view name,
                                                 const std::vector<ChildHost>& hosts);

/// Places the ranks in the order of their MPI_COMM_WORLD. No host is in the result twice. If this
/// is impossible, returns the reason, to follow "MPI_Comm_spawn by rank R fails: ". Without wishes,
/// ranks first get the free slots, in the order of the hosts. The remaining ranks go to the last
/// host that got ranks, or else to `home`, the host of the calling rank. Those for which it has no
/// room go to the other hosts. The host that got the last rank is last in the result, since further
/// ranks may follow there. With wishes, free slots do not matter: in the order of the wishes,
/// each named host gets its number, until all ranks are placed. The hosts without a number share
/// the remaining ranks equally.
///
/// Example: 3 ranks, free slots {a: 1, b: 1}, home a: {a: 1, b: 2}.
std::variant<std::vector<core::Share>, std::string> place_children(
    int ranks, const std::vector<core::HostShare>& wishes, const std::vector<ChildHost>& hosts,
    core::HostIndex home);

}  // namespace ductile::plan
