// How a rank and the broker agree on the point of a resize, as states: events in, effects out. No
// threads, no MPI, no messages here.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/switch_plan.hpp"

namespace ductile::engine {

namespace gate {

using core::TransactionId;

struct Prepare {
    TransactionId transaction;
    int attempt = 0;  ///< a question that was called off is asked again under a new number
};

/// What a resumed broker wants to know of a rank.
struct RankReport {
    TransactionId transaction{0};  ///< the last one committed here, or that made it a member
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
/// The newcomers of a blocking resize have come.
struct NewcomersReady {
    TransactionId transaction;
};
struct NewcomersLost {
    TransactionId transaction;
    std::string why;
};
struct BrokerLost {};
/// A resumed one is there.
struct BrokerBack {};
/// Another rank votes early in this transaction, and the broker died before it had asked them all.
struct CalledToVote {
    TransactionId transaction;
};
/// A parked rank is to come back.
struct CalledBack {
    TransactionId transaction;
};
/// The others have gone on: a rank that has left may end, a parked one is to leave.
struct ExitPermitted {};

// ---- events of the rank itself ----
/// It is a member by this transaction, and knows the job's count of points.
struct Joined {
    TransactionId by;
};
struct SwitchEnded {
    TransactionId transaction;
    bool committed = false;
    bool degraded = false;
};
struct EarlyVoteEnded {};
/// It starts others inside of MPI, or has none left to start.
struct StartsOthers {
    bool on = false;
};
struct WentToSleep {};
/// It will enter no more points.
struct ProgramEnded {};

using Event = std::variant<Asked, Announced, CalledOff, NewcomersReady, NewcomersLost, BrokerLost,
                           BrokerBack, CalledToVote, CalledBack, ExitPermitted, Joined, SwitchEnded,
                           EarlyVoteEnded, StartsOthers, WentToSleep, ProgramEnded>;

// ---- effects ----
/// Unless it has finished, the rank arms its counter first: it passes no further point unasked.
struct Answer {
    Prepare prepare;
    bool finished = false;
};
struct Disarm {};
/// No resize is being prepared any more.
struct EndPending {};
/// On another thread, then EarlyVoteEnded (docs/decisions/0001).
struct CastEarlyVote {};
/// To the resumed broker: the early vote waits for the others.
struct SayVoting {
    TransactionId transaction;
};
/// The switch at hand has lost its newcomers.
struct WakeSwitch {};
struct Stand {
    RankReport report;
};
using Effect =
    std::variant<Answer, Disarm, EndPending, CastEarlyVote, SayVoting, WakeSwitch, Stand>;
using Effects = std::vector<Effect>;

// ---- states ----
/// A question that can be answered later only.
struct Owed {
    Prepare prepare;
    bool broker_lost = false;  ///< since it was asked
};
/// What has been heard of the transaction at hand.
struct News {
    bool newcomers_ready = false;
    bool broker_lost = false;
    std::string newcomers_lost;  ///< why, if they are
};

/// Nothing is asked: points pass.
struct Unasked {};
/// The prepare is answered: no point passes before the decision.
struct Answered {
    TransactionId transaction;
    News news;
};
/// Points before the announced one pass.
struct PointKnown {
    SwitchPlan plan;
    News news;
};
/// The broker was lost after the answer. The rank passes no point where it might have to vote.
struct VotingEarly {
    TransactionId transaction;
    std::optional<std::int64_t> point;  ///< if it was announced
    std::optional<Owed> owed;           ///< by the next broker
};
using Agreement = std::variant<Unasked, Answered, PointKnown, VotingEarly>;

struct Newcomer {
    std::optional<Owed> owed;
};
struct InProgram {
    Agreement agreement;
};
/// At the point; its vote there is its only one.
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

/// Asked -> answered and armed -> announced: stop at that point, or called off: go on -> switch.
///
/// An announced point is final. What comes later (lost newcomers, a lost broker) is this rank's
/// vote there. Each rank that has answered votes once: at the point, or early. A rank that was
/// never asked votes, too, where the broker died between its questions to the ranks (CalledToVote).
class GateState {
  public:
    void on(const gate::Event& event, gate::Effects& effects);

    enum class AtPoint { wait, pass, stop };
    /// The program is at this point and finds itself armed. After `stop` it is in its switch.
    AtPoint reach(std::int64_t point);

    [[nodiscard]] const gate::Place& place() const { return place_; }
    /// Of the switch that the rank is in; null outside.
    [[nodiscard]] const SwitchPlan* plan() const;
    /// Why the rank votes no, if it does.
    [[nodiscard]] std::optional<std::string> objection() const;
    [[nodiscard]] bool newcomers_lost() const;
    /// In a blocking switch: the newcomers may still come.
    [[nodiscard]] bool awaits_newcomers() const;
    /// The rank has answered, and its program may not end before the broker's decision.
    [[nodiscard]] bool awaits_decision() const;
    /// A call back into the job by a transaction after `last`, which is taken.
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
    bool starts_others_ = false;
    bool broker_lost_ = false;
    bool exit_permitted_ = false;
};

}  // namespace ductile::engine
