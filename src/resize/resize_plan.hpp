// What a resize is to do. Fixed from its acceptance to its end. Pure data.
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

/// How long a switch may take, in seconds, as `ductile run` was told.
struct SwitchLimits {
    double progress_s = 5;     ///< without progress it is given up
    double vote_s = 10;        ///< so much longer, and the job is ended
    double own_moves_s = 600;  ///< the program's own move of data is given up; 0: never
    [[nodiscard]] double step_s() const { return progress_s + vote_s; }
    bool operator==(const SwitchLimits&) const = default;
    template <class V>
    void fields(V& v) {
        v("progress_s", progress_s), v("vote_s", vote_s), v("own_moves_s", own_moves_s);
    }
};

/// As whoever asked for the resize, and `ductile run`, were told.
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
    core::TransactionId asked_as;  ///< the first resize of the request; its own id, often
    core::Layout before;           ///< empty at the start of a job
    core::Layout after;
    std::vector<core::Group> added;
    core::SlotCounts given_back;  ///< once the resize is committed
    plan::Strategy strategy;
    plan::Readiness readiness = plan::Readiness::broker;
    std::vector<plan::Spawn> spawns;  ///< who starts what, inside MPI; none for `launch`
    std::string secret;               ///< of the hello of each connection (hex)
    bool from_degraded = false;       ///< the sources were degraded when it began
    ResizeTimes times;
    plan::ResizeShape shape;
    std::optional<plan::Cost> expected;            ///< as the cost model says
    std::map<core::HostIndex, std::string> names;  ///< of the hosts of `added`, for messages

    /// The first groups of a job start: nobody has to agree to that.
    [[nodiscard]] bool starts_job() const { return before.empty(); }
    [[nodiscard]] bool is_blocking() const {
        return !added.empty() && strategy.overlap == plan::Overlap::blocking;
    }
    /// New ranks are joined before the point is asked for.
    [[nodiscard]] bool joins_in_background() const {
        return strategy.joining == plan::Joining::background && !starts_job() && !added.empty() &&
               !is_blocking();
    }
    /// The sources commit, and then the data move to the new ranks.
    [[nodiscard]] bool commits_before_data() const {
        return !starts_job() && !added.empty() && strategy.memory == plan::Memory::tight;
    }
    /// All processes are new afterwards.
    [[nodiscard]] bool replaces_all() const {
        return !starts_job() && !added.empty() && after.size() == core::ranks_of(added);
    }
    /// Ranks start the new groups, by MPI_Comm_spawn.
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
