// What a broker must know to take a job over from one that died. Pure data, as its journal keeps
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/group_table.hpp"
#include "broker/host_states.hpp"
#include "broker/missing_hosts.hpp"
#include "broker/resize_request.hpp"
#include "resize/resize_operation.hpp"
#include "wire/from_rank_messages.hpp"

namespace ductile::broker {

/// How far a job's life has come.
enum class Stage { starting, running, finishing, ending };

/// A group as the broker knows it.
struct KnownGroup {
    core::Group group;
    core::GroupId launcher_group;
    GroupRole role = GroupRole::newcomer;
    bool operator==(const KnownGroup&) const = default;
};

struct KnownAgent {
    core::HostIndex host;
    core::Generation generation;
    bool operator==(const KnownAgent&) const = default;
};

/// A request that is to be done later, as NextStep.
struct KnownRequest {
    ResizeRequest request;
    core::TransactionId continues;
    bool operator==(const KnownRequest&) const = default;
};

/// A request that waits for hosts, as AwaitingHosts.
struct KnownAwaiting {
    ResizeRequest request;
    core::TransactionId continues;
    core::TransactionId id;
    int hosts = 0;
    Aim aim = Aim::largest;
    bool operator==(const KnownAwaiting&) const = default;
};

struct Snapshot {
    Stage stage = Stage::starting;
    HostTableState hosts;
    core::Layout layout;
    core::SlotCounts given_back;
    std::vector<KnownGroup> groups;
    std::vector<KnownAgent> agents;
    /// The resize that is open. Whether it was committed the ranks know.
    std::optional<resize::ResizeOperation> open;
    /// What follows the open resize, of a request that takes two.
    std::optional<KnownRequest> next;
    std::vector<KnownRequest> waiting;  ///< for their turn, in their order
    std::optional<KnownAwaiting> awaiting;
    int generations = 0;  ///< the last one that an agent was given
    int next_group = 0;
    int mpi_worlds_seen = 0;
    int next_transaction = 1;
    int health = 0;  ///< as Health
    int exit_code = 0;
    std::string end_why;                    ///< of a job that is ending
    std::optional<wire::CodeOptions> code;  ///< what the program's code has said
    bool operator==(const Snapshot&) const = default;
};

}  // namespace ductile::broker
