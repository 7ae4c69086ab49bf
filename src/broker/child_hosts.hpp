// The hosts and slots for processes that the program starts itself (MPI_Comm_spawn). Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "broker/group_context.hpp"
#include "broker/group_table.hpp"
#include "core/layout.hpp"
#include "plan/spawn_wish.hpp"

namespace ductile::broker {

/// The hosts that can run children (processes that the program starts itself), with their free
/// slots. A slot is free if no living rank uses it and if it was not given back. Order: hosts with
/// ranks of the job, hosts with other processes, idle hosts.
std::vector<plan::ChildHost> child_hosts(const GroupTable& groups, const GroupContext& job);
/// The slots of the children that have not ended.
[[nodiscard]] core::SlotCounts slots_of_children(const GroupTable& groups);
/// The group of the processes of a spawn, or why they cannot start. `max_worlds`:
/// mpi::Capabilities::max_worlds_in_life.
std::variant<core::Group, std::string> plan_children(core::HostIndex caller,
                                                     const plan::SpawnWish& wish,
                                                     const std::vector<plan::ChildHost>& hosts,
                                                     const JobLedger& ledger, int max_worlds);
/// Why a resize to this layout must wait: children would lose their parent or their host.
std::optional<std::string> refuse_for_children(const GroupTable& groups, const core::Layout& before,
                                               const core::Layout& after,
                                               const core::Allocation& hosts);

}  // namespace ductile::broker
