// How a rank and the broker agree on the point of a resize, as a state machine: events in, effects
// out. No threads, no MPI, no messages here.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/switch_plan.hpp"

namespace ductile::engine {

namespace gate {

using core::TransactionId;

/// The broker asks how many resize points the rank has entered.
struct Prepare {
    TransactionId transaction;
    int attempt = 0;  ///< the broker asks a cancelled Prepare again under a new number
};

/// What a resumed broker must know about a rank.
struct RankReport {
    TransactionId transaction{0};  ///< the last resize that this rank committed or joined by
    bool degraded = false;
};

// ---- events that the link brings ----
struct Asked {
    Prepare prepare;
};
struct Announced {
    SwitchPlan plan;
};
struct CalledOff {
    TransactionId transaction;
};
/// The newcomers of a blocking resize are ready.
struct NewcomersReady {
    TransactionId transaction;
};
struct NewcomersLost {
    TransactionId transaction;
    std::string why;
};
struct BrokerLost {};
/// A resumed broker is there.
struct BrokerBack {};
/// Another rank votes early in this transaction. The broker died before it had asked all ranks.
struct CalledToVote {
    TransactionId transaction;
};
/// A parked rank must come back.
struct CalledBack {
    TransactionId transaction;
};
/// A rank that has left is allowed to end: the other ranks have continued. A parked rank must
/// leave.
struct ExitPermitted {};

// ---- events of the rank itself ----
/// The rank became a member by this transaction, and knows the job's count of points.
struct Joined {
    TransactionId by;
};
struct SwitchEnded {
    TransactionId transaction;
    bool committed = false;
    bool degraded = false;
};
struct EarlyVoteEnded {};
/// A helper thread of the rank that is inside MPI: it starts other processes, or joins them.
enum class Helper { spawner, background_join };
/// The helper thread begins its work. Off: the work has ended.
struct HelperWorks {
    Helper helper{};
    bool on = false;
};
struct WentToSleep {};
/// The rank will enter no more points.
struct ProgramEnded {};

using Event = std::variant<Asked, Announced, CalledOff, NewcomersReady, NewcomersLost, BrokerLost,
                           BrokerBack, CalledToVote, CalledBack, ExitPermitted, Joined, SwitchEnded,
                           EarlyVoteEnded, HelperWorks, WentToSleep, ProgramEnded>;

// ---- effects ----
/// Unless the rank has finished, it arms its counter first: it then passes no further point without
/// permission of the broker.
struct Answer {
    Prepare prepare;
    bool finished = false;
};
struct Disarm {};
/// No resize is being prepared any more.
struct EndPending {};
/// Cast the vote on another thread, then send EarlyVoteEnded (docs/decisions/0001).
struct CastEarlyVote {};
/// Tell the resumed broker that the early vote waits for the other ranks.
struct ReportVoting {
    TransactionId transaction;
};
/// The current switch has lost its newcomers.
struct WakeSwitch {};
struct SendReport {
    RankReport report;
};
using Effect =
    std::variant<Answer, Disarm, EndPending, CastEarlyVote, ReportVoting, WakeSwitch, SendReport>;
using Effects = std::vector<Effect>;

// ---- states ----
/// A Prepare that the rank can only answer later, or a CalledToVote that it can only follow later.
struct Owed {
    Prepare prepare;
    bool broker_lost = false;  ///< the broker was lost after the Prepare; true for a CalledToVote
};
/// What the rank knows about the current transaction.
struct News {
    bool newcomers_ready = false;
    bool broker_lost = false;
    std::string newcomers_lost;  ///< the reason; empty: they are not lost
};

/// No Prepare is open: points pass.
struct Unasked {};
/// The rank has answered the Prepare: no point passes before the decision.
struct Answered {
    TransactionId transaction;
    News news;
};
/// Points before the announced one pass.
struct PointKnown {
    SwitchPlan plan;
    News news;
};
/// The broker was lost after the answer, or before it asked this rank (CalledToVote). After an
/// answer the rank waits for the end of the vote at the announced point, or, if none was announced,
/// at its next point.
struct VotingEarly {
    TransactionId transaction;
    std::optional<std::int64_t> point;  ///< if it was announced
    std::optional<Owed> owed;           ///< a Prepare of the next broker
};
using Agreement = std::variant<Unasked, Answered, PointKnown, VotingEarly>;

struct Newcomer {
    std::optional<Owed> owed;
};
struct InProgram {
    Agreement agreement;
};
/// The rank is at the point. Its vote there is its only one.
struct InSwitch {
    SwitchPlan plan;
    News news;
    std::optional<Owed> owed;
};
struct Parked {
    std::optional<Owed> owed;
};
struct Finished {
    Agreement agreement;
};
using Place = std::variant<Newcomer, InProgram, InSwitch, Parked, Finished>;

}  // namespace gate

/// Asked -> answered and armed -> announced: the rank stops at that point -> switch. If the
/// Prepare is called off instead, points pass again.
///
/// An announced point is final. If the newcomers are lost later, this rank votes no at the point.
/// If the broker is lost, the rank votes early, or votes no if it is already at the point. Each
/// rank that has answered votes once: at the point, or early. A rank that was never asked also
/// votes if the broker died before it had asked all ranks (CalledToVote).
class GateState {
  public:
    void on(const gate::Event& event, gate::Effects& effects);

    enum class AtPoint { wait, pass, stop };
    /// The program is at this point, and its counter is armed. After `stop` the rank is in its
    /// switch.
    AtPoint reach(std::int64_t point);

    [[nodiscard]] const gate::Place& place() const { return place_; }
    /// The plan of the current switch. Null outside a switch.
    [[nodiscard]] const SwitchPlan* plan() const;
    /// Why the rank votes no. Nothing: it does not.
    [[nodiscard]] std::optional<std::string> objection() const;
    [[nodiscard]] bool newcomers_lost() const;
    /// In a blocking switch: the newcomers may still come.
    [[nodiscard]] bool awaits_newcomers() const;
    /// The program must not end yet: the rank has answered and waits for the broker's decision, or
    /// its early vote has not ended.
    [[nodiscard]] bool awaits_decision() const;
    /// Takes a call to come back into the job, if its transaction is later than `last`.
    std::optional<core::TransactionId> take_call(core::TransactionId last);
    [[nodiscard]] bool exit_permitted() const { return exit_permitted_; }
    [[nodiscard]] bool broker_lost() const { return broker_lost_; }

  private:
    void remember(const gate::Event& event);
    [[nodiscard]] bool is_open() const;
    [[nodiscard]] bool has_voted_in(core::TransactionId transaction) const;
    [[nodiscard]] const gate::VotingEarly* early_vote() const;

    gate::Place place_ = gate::Newcomer{};
    std::optional<core::TransactionId> called_back_;
    core::TransactionId last_vote_{0};  ///< the transaction of this rank's latest vote
    gate::RankReport report_;
    bool report_owed_ = false;
    std::set<gate::Helper> working_;
    bool broker_lost_ = false;
    bool exit_permitted_ = false;
};

}  // namespace ductile::engine
