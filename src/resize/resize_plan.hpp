// What a resize does. The plan is fixed from its acceptance to its end. Pure data.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/allocation.hpp"
#include "core/layout.hpp"
#include "plan/cost_model.hpp"
#include "plan/methods.hpp"
#include "plan/spawn_schedule.hpp"

namespace ductile::resize {

/// How long a switch may take, in seconds: the options of `ductile run`.
struct SwitchLimits {
    double progress_s = 5;     ///< a switch without progress for this long is given up
    double vote_s = 10;        ///< after this additional time the job is ended
    double own_moves_s = 600;  ///< limits the program's own move of data; 0: no limit
    [[nodiscard]] double step_s() const { return progress_s + vote_s; }
    bool operator==(const SwitchLimits&) const = default;
    template <class V>
    void fields(V& v) {
        v("progress_s", progress_s), v("vote_s", vote_s), v("own_moves_s", own_moves_s);
    }
};

/// Limits of time, from the request of the resize and from `ductile run`.
struct ResizeTimes {
    double switch_within_s = 0;  ///< until the program reaches a resize point; 0: no limit
    SwitchLimits limits;
    bool operator==(const ResizeTimes&) const = default;
    template <class V>
    void fields(V& v) {
        v("switch_within_s", switch_within_s), v("limits", limits);
    }
};

struct ResizePlan {
    core::TransactionId id;
    core::TransactionId asked_as;  ///< the first resize of the request; often this resize itself
    core::Layout before;           ///< empty at the start of a job
    core::Layout after;
    std::vector<core::Group> added;
    core::SlotCounts given_back;  ///< slots that are given back after the commit
    plan::Strategy strategy;
    plan::Readiness readiness = plan::Readiness::broker;
    /// Which process starts which group by MPI_Comm_spawn. Empty if agents start the groups.
    std::vector<plan::Spawn> spawns;
    std::string secret;          ///< the secret in the hello of each connection (hex)
    bool from_degraded = false;  ///< the sources were degraded when the resize began
    ResizeTimes times;
    plan::ResizeShape shape;
    std::optional<plan::Cost> expected;            ///< the prediction of the cost model
    std::map<core::HostIndex, std::string> names;  ///< names of the hosts of `added`, for messages

    /// Whether this plan starts the first groups of a job. Then no rank has to agree.
    [[nodiscard]] bool starts_job() const { return before.empty(); }
    [[nodiscard]] bool is_blocking() const {
        return !added.empty() && strategy.overlap == plan::Overlap::blocking;
    }
    /// Whether new ranks are joined before the sources are asked for a point.
    [[nodiscard]] bool joins_in_background() const {
        return strategy.joining == plan::Joining::background && !starts_job() && !added.empty() &&
               !is_blocking();
    }
    /// Whether the sources commit before the data move to the new ranks.
    [[nodiscard]] bool commits_before_data() const {
        return !starts_job() && !added.empty() && strategy.memory == plan::Memory::tight;
    }
    /// Whether all processes are new after the resize.
    [[nodiscard]] bool replaces_all() const {
        return !starts_job() && !added.empty() && after.size() == core::ranks_of(added);
    }
    /// Whether ranks start the new groups by MPI_Comm_spawn.
    [[nodiscard]] bool spawns_groups() const { return !spawns.empty(); }
    [[nodiscard]] bool adds(core::GroupId group) const {
        for (const auto& one : added)
            if (one.id == group) return true;
        return false;
    }
    [[nodiscard]] core::Change change() const { return core::change_between(before, after); }
    /// "replace", "shrink" or "expand".
    [[nodiscard]] const char* kind() const {
        if (replaces_all()) return "replace";
        return after.size() < before.size() ? "shrink" : "expand";
    }
    bool operator==(const ResizePlan&) const = default;
    template <class V>
    void fields(V& v) {
        v("id", id), v("asked_as", asked_as), v("before", before), v("after", after),
            v("added", added);
        v("given_back", given_back), v("way", strategy), v("readiness", readiness);
        v("spawns", spawns), v("secret", secret), v("from_degraded", from_degraded);
        v("times", times), v("shape", shape), v("expected", expected), v("names", names);
    }
};

}  // namespace ductile::resize
