// What a broker must know to take over the job of a broker that died. Pure data for the journal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/group_table.hpp"
#include "broker/host_states.hpp"
#include "broker/limits.hpp"
#include "broker/missing_hosts.hpp"
#include "broker/resize_request.hpp"
#include "resize/resize_operation.hpp"

namespace ductile::broker {

/// The stage of a job's life.
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

/// A request that is taken up later: the stored part of a NextStep.
struct KnownRequest {
    ResizeRequest request;
    core::TransactionId continues;
    bool only_at_once = false;
    bool operator==(const KnownRequest&) const = default;
};

/// A request that waits for hosts: the stored part of an AwaitingHosts.
struct KnownAwaiting {
    ResizeRequest request;
    core::TransactionId continues;
    core::TransactionId id;
    int hosts = 0;
    Aim aim = Aim::largest;
    bool only_at_once = false;
    bool operator==(const KnownAwaiting&) const = default;
};

struct Snapshot {
    Stage stage = Stage::starting;
    HostTableState hosts;
    core::Layout layout;
    core::SlotCounts given_back;
    std::vector<KnownGroup> groups;
    std::vector<KnownAgent> agents;
    /// The open resize. Only the ranks know whether it was committed.
    std::optional<resize::ResizeOperation> open;
    /// The step after the open resize, if the request takes two steps.
    std::optional<KnownRequest> next;
    std::vector<KnownRequest> waiting;  ///< they wait for their turn, in order
    std::optional<KnownAwaiting> awaiting;
    int generations = 0;  ///< the last generation that was assigned to an agent
    int next_group = 0;
    int mpi_worlds_seen = 0;
    int next_transaction = 1;
    int health = 0;  ///< a Health
    int exit_code = 0;
    std::string end_why;                ///< why the job is ending
    std::optional<ProgramLimits> code;  ///< the limits that the program's code set
    bool operator==(const Snapshot&) const = default;
};

}  // namespace ductile::broker
