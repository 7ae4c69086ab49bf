// How a rank and the broker agree on the point of a resize. No MPI here: threads and messages only.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "engine/point_counter.hpp"
#include "wire/from_rank_messages.hpp"
#include "wire/to_rank_messages.hpp"

namespace ductile::engine {

/// The link's thread brings the broker's words here; the program's thread asks here when it finds
/// itself armed.
///
///   Question -> armed, answered -> Decide(P): stop at P, or Decide(0): go on -> (switch) ->
///   conclude
///
/// An announced P is final. What comes later (Abandon, a lost broker) is this rank's vote at P.
class ResizeDesk {
  public:
    PointCounter counter;

    // ---- the link's thread; nothing here blocks ----
    /// The answer to send; nothing before begin(): a newcomer that has not returned from its join
    /// yet does not know the job's count, and its answer follows then.
    std::optional<wire::PointAnswer> question(const wire::Question& question);
    void decide(const wire::Decide& decision);
    void abandon(core::TransactionId transaction, const std::string& why);
    void proceed(core::TransactionId transaction);
    void underway(bool on) { counter.set_underway(on); }
    /// No broker any more. True when this rank has answered a question, no vote of its has begun
    /// and so the caller must cast the early vote (vote.hpp) on another thread, then call cancel().
    bool broker_lost();
    void cancel();
    /// A resumed broker is there. It is told where this rank stands (on_standing) as soon as it is
    /// a member and no question of the lost one is open.
    void broker_back();
    /// It starts others inside of MPI, and says nothing of where it stands meanwhile.
    void set_spawning(bool on);
    /// How that is said; from any thread, under the desk's lock.
    void on_standing(std::function<void(const wire::Standing&)> say_standing);
    /// What is said then; the transaction only when it was committed.
    void stand(std::optional<core::TransactionId> transaction, bool worn);
    void may_end();
    void come_back(core::TransactionId transaction);

    // ---- the program's thread ----
    /// The process is a member, `count` resize points into the job. Returns the answer that is
    /// owed, if one is; if the broker has been lost since it asked, broker_lost() is to be called
    /// again (lost_meanwhile).
    std::optional<wire::PointAnswer> begin(std::int64_t count);
    [[nodiscard]] bool lost_meanwhile();
    /// The resize to do at this point, or nothing: go on. Sleeps while armed and undecided.
    std::optional<wire::Decide> wait_at(std::int64_t point);
    /// At P: whether this thread casts the vote; false: the early vote is under way, wait_at
    /// decides.
    bool claim_vote();
    /// At P, when the newcomers start only now: sleeps until they are there, or are not to be
    /// waited for (objection).
    void wait_to_proceed(core::TransactionId transaction);
    /// Why this rank votes no, if it does.
    std::optional<std::string> objection(core::TransactionId transaction);
    /// Calls `wake` (under the desk's lock, so it must not call back) when the transaction is
    /// abandoned from now on.
    void on_abandon(core::TransactionId transaction, std::function<void()> wake);
    /// The resize at this point is over, either way.
    void conclude();
    /// No more resize points will be entered. Sleeps until a question that was answered is decided.
    void finish();
    /// Parked: sleeps until asked to come back by a transaction after `last`, or, with nothing, to
    /// leave. Questions wait for the next begin().
    std::optional<core::TransactionId> wait_parked(core::TransactionId last);
    /// Parked ranks are to leave.
    [[nodiscard]] bool is_to_end();
    /// After `leave`: sleeps until the others have gone on, for `patience` at most.
    void wait_to_end(std::chrono::milliseconds patience);

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    wire::PointAnswer answer(const wire::Question& question);
    void say_standing_if_idle();

    bool begun_ = false;                  ///< it knows the job's count; not while it is parked
    bool has_joined_ = false;             ///< it is a member, or parked
    std::optional<wire::Question> owed_;  ///< asked before begin()
    std::optional<core::TransactionId> asked_;
    std::optional<wire::Decide> decision_;
    std::optional<core::TransactionId> proceeding_;
    std::optional<core::TransactionId> coming_back_;
    std::optional<core::TransactionId> abandoned_;
    std::string abandoned_why_;
    std::function<void()> on_abandon_;
    std::optional<core::TransactionId> lost_;  ///< its broker is
    std::function<void(const wire::Standing&)> say_standing_;
    wire::Standing standing_;
    bool standing_owed_ = false, spawning_ = false;
    bool vote_claimed_ = false;
    bool finished_ = false;
    bool broker_lost_ = false;
    bool may_end_ = false;
};

}  // namespace ductile::engine
