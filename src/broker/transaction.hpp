// One resize, from its acceptance to its end.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/forming.hpp"
#include "broker/point_agreement.hpp"
#include "broker/resize_planner.hpp"
#include "broker/spawning.hpp"
#include "core/layout.hpp"
#include "plan/cost_model.hpp"
#include "plan/methods.hpp"
#include "wire/from_rank_messages.hpp"
#include "wire/request_messages.hpp"
#include "wire/to_rank_messages.hpp"

namespace ductile::broker {

using Clock = std::chrono::steady_clock;

/// Where a transaction stands. In the background the phases follow each other in this order; a
/// blocking one begins with asking and waiting.
enum class Phase {
    starting,    ///< agents and launcher runs of the new groups come up
    connecting,  ///< the new groups become one communicator
    bridging,    ///< they are; the two leaders are not joined by a port yet
    asking,      ///< sources are asked for their counts
    waiting,     ///< the point is announced (final); the program is on its way there
    switching,   ///< rank 0 stands at the point
};

std::string to_text(Phase phase);

struct Transaction {
    core::TransactionId id;
    std::vector<core::Group> added;
    /// What is still to be done after this, with whoever asked for it.
    std::function<void()> goes_on;
    core::Layout before, after;
    core::Change change;  ///< from `before` to `after`
    plan::Way way;
    SlotCounts given_back;  ///< once it is committed
    plan::ResizeShape shape;
    std::optional<plan::Cost> expected;  ///< as the cost model says
    std::string secret;
    Phase phase = Phase::starting;
    std::optional<Forming> forming;
    std::optional<Spawning> spawning;                        ///< of a start inside of MPI
    std::set<std::pair<core::GroupId, core::Rank>> merging;  ///< whose spawn becomes the bridge
    double spawn_s = 0;                                      ///< its longest call of MPI_Comm_spawn
    std::optional<PointAgreement> agreement;
    int attempt = 0;  ///< questions asked so far
    std::int64_t point = 0;
    bool announced = false;  ///< the point is final: from then on the sources' votes decide
    std::string port;        ///< of the bridge
    std::optional<core::GroupId> leader;  ///< of the new groups: the first one that is ready
    bool entering = false, accepting = false, stand_in = false;
    bool program_bridged = false, newcomers_bridged = false;
    bool abandoned = false;    ///< sources have been told to vote no
    std::string lost;          ///< which newcomer is, and how; empty: none is
    int lost_code = 0;         ///< its exit code
    bool ending_due = false;   ///< the newcomers are to be ended when no spawn is open any more
    bool undoing = false;      ///< given up; over when nothing of it is left
    bool worn_bridge = false;  ///< the leader's accept has not ended as it should
    std::string why;           ///< of an abandonment or a rollback
    std::set<std::pair<core::GroupId, core::Rank>> done;  ///< sources that have reported
    bool committed = false, worn = false;
    bool from_worn = false;    ///< its sources were worn when it began
    bool unfinished = false;   ///< as SwitchDone has it
    wire::SwitchDone longest;  ///< element-wise maxima over the sources
    Clock::time_point accepted = Clock::now();
    std::map<std::string, double>
        times_s;  ///< since acceptance: "started", "ready", "formed", "bridged", ...
    std::optional<Clock::time_point> deadline;  ///< of the present phase
    std::string deadline_why;
    std::optional<Clock::time_point> accept_before;  ///< after that the leader's accept is helped
    std::optional<Clock::time_point> switch_before;  ///< --switch-within
    std::function<void(wire::ReplyKind, const std::string&)> reply;  ///< to who waits

    /// For the record.
    [[nodiscard]] const char* kind() const {
        if (replaces_all()) return "replace";
        return after.size() < before.size() ? "shrink" : "expand";
    }
    /// All processes are new afterwards.
    [[nodiscard]] bool replaces_all() const {
        return !added.empty() && after.size() == core::ranks_of(added);
    }
    void mark(const std::string& what) {
        times_s.try_emplace(what, std::chrono::duration<double>(Clock::now() - accepted).count());
    }
    [[nodiscard]] bool is_blocking() const {
        return !added.empty() && way.overlap == plan::Overlap::blocking;
    }
    /// Is a process inside of MPI_Comm_spawn?
    [[nodiscard]] bool is_spawning() const { return spawning && !spawning->open().empty(); }
    /// Is one waiting inside of MPI for newcomers that must not be ended now?
    /// Or in the leaders' accept and connect, with nobody lost: milliseconds, and killed in it the
    /// other side might never come out.
    [[nodiscard]] bool awaits_newcomers() const {
        return is_spawning() || !merging.empty() || (accepting && lost.empty() && !stand_in);
    }
    void set_deadline(std::chrono::duration<double> within, std::string what) {
        deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(within);
        deadline_why = std::move(what);
    }
    void accept_within(std::chrono::milliseconds within) { accept_before = Clock::now() + within; }
};

}  // namespace ductile::broker
