// Several ranks and their broker, which may die at any moment. Events come in any order. The ranks
// agree, each rank votes once, and no rank waits for ever.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>

#include "engine/gate_state.hpp"

namespace ductile::engine::gate_agreement_test {
namespace {

using namespace gate;

struct Ballot {
    TransactionId transaction;
    std::int64_t point = 0;
    bool yes = false, early = false;
};

/// The votes over one communicator: the k-th ballots of all ranks are one vote.
class Votes {
  public:
    explicit Votes(std::size_t ranks) : ballots_(ranks) {}

    void cast(std::size_t rank, const Ballot& ballot) { ballots_[rank].push_back(ballot); }
    /// Whether the last vote of this rank has returned.
    [[nodiscard]] bool has_returned(std::size_t rank) const {
        const auto cast = ballots_[rank].size();
        return std::ranges::all_of(ballots_, [&](const auto& of) { return of.size() >= cast; });
    }
    [[nodiscard]] bool all_yes(std::size_t rank) const {
        const auto last = ballots_[rank].size() - 1;
        const auto& mine = ballots_[rank].back();
        const bool early =
            std::ranges::any_of(ballots_, [&](const auto& of) { return of[last].early; });
        if (!early) {
            for (const auto& of : ballots_)
                RC_ASSERT(of[last].transaction == mine.transaction && of[last].point == mine.point);
        }
        return std::ranges::all_of(ballots_, [&](const auto& of) { return of[last].yes; });
    }
    [[nodiscard]] bool all_have_cast_as_many() const {
        return std::ranges::all_of(ballots_,
                                   [&](const auto& of) { return of.size() == ballots_[0].size(); });
    }

  private:
    std::vector<std::vector<Ballot>> ballots_;
};

struct Rank {
    GateState gate;
    std::deque<Event> inbox;
    std::int64_t count = 0;
    bool armed = false;
    bool stands_at_point = false;  ///< it asks the gate what to do
    bool votes = false;            ///< in an early vote or in its switch
    int committed = 0;
};

class World {
  public:
    World(std::size_t ranks, std::vector<int> choices)
        : ranks_(ranks), votes_(ranks), choices_(std::move(choices)) {
        for (std::size_t i = 0; i < ranks; ++i) tell(i, Joined{TransactionId{0}});
    }

    void run() {
        for (const int choice : choices_) {
            const int what = choice % 64;
            const auto rank = static_cast<std::size_t>(choice / 64) % ranks_.size();
            if (what < 4)
                broker_asks();
            else if (what < 6)
                broker_calls_off();
            else if (what < 7)
                broker_abandons();
            else if (what < 8)
                broker_dies(choice / 64);
            else if (what % 2 == 0)
                deliver(rank);
            else
                advance(rank);
        }
        for (int round = 0; round < 2000 && !is_quiet(); ++round)
            for (std::size_t i = 0; i < ranks_.size(); ++i) deliver(i), advance(i);
    }

    void check() const {
        RC_ASSERT(is_quiet());
        RC_ASSERT(votes_.all_have_cast_as_many());
        RC_ASSERT(reports_ == ranks_.size());
        for (const auto& rank : ranks_) {
            RC_ASSERT(!rank.armed);
            RC_ASSERT(rank.committed == ranks_[0].committed);
        }
    }

  private:
    [[nodiscard]] bool is_quiet() const {
        return std::ranges::all_of(ranks_, [](const Rank& rank) {
            const auto* in_program = std::get_if<InProgram>(&rank.gate.place());
            return rank.inbox.empty() && !rank.votes && in_program != nullptr &&
                   std::holds_alternative<Unasked>(in_program->agreement);
        });
    }

    void send(const Event& event) {
        for (auto& rank : ranks_) rank.inbox.push_back(event);
    }
    void broker_asks() {
        if (stage_ != Stage::idle || reports_ != ranks_.size()) return;
        ++transaction_;
        ask();
    }
    void ask() {
        stage_ = Stage::asking;
        answers_ = 0;
        highest_ = 0;
        send(Asked{{TransactionId{transaction_}, ++attempt_}});
    }
    // A rank was too slow to answer: the broker asks again later.
    void broker_calls_off() {
        if (stage_ == Stage::asking) {
            send(CalledOff{TransactionId{transaction_}});
            stage_ = Stage::called_off;
        } else if (stage_ == Stage::called_off) {
            ask();
        }
    }
    void broker_abandons() {
        if (stage_ == Stage::announced) send(NewcomersLost{TransactionId{transaction_}, "lost"});
    }
    // Its last messages may be lost on some ranks. The next broker asks all ranks for a report.
    void broker_dies(int choice) {
        const auto is_from_agent = [](const Event& event) {
            return std::holds_alternative<BrokerLost>(event) ||
                   std::holds_alternative<BrokerBack>(event);
        };
        for (auto& rank : ranks_) {
            auto& inbox = rank.inbox;
            for (; choice % 2 == 1 && !inbox.empty() && !is_from_agent(inbox.back()); choice /= 2)
                inbox.pop_back();
            choice /= 2;
        }
        send(BrokerLost{});
        send(BrokerBack{});
        stage_ = Stage::idle;
        reports_ = 0;
        ++transaction_;
    }

    void on_answer(const Answer& answer, std::int64_t count) {
        if (stage_ != Stage::asking || answer.prepare.attempt != attempt_) return;
        highest_ = std::max(highest_, count);
        if (++answers_ < ranks_.size()) return;
        stage_ = Stage::announced;
        done_ = 0;
        send(Announced{{TransactionId{transaction_}, highest_ + 1, {}, {}, false}});
    }
    void on_done(TransactionId transaction) {
        if (stage_ == Stage::announced && transaction.value == transaction_ &&
            ++done_ == ranks_.size())
            stage_ = Stage::idle;
    }

    void tell(std::size_t i, const Event& event) {
        auto& rank = ranks_[i];
        Effects effects;
        rank.gate.on(event, effects);
        for (const auto& effect : effects) {
            if (const auto* answer = std::get_if<Answer>(&effect)) {
                rank.armed = true;
                on_answer(*answer, rank.count);
            } else if (std::holds_alternative<Disarm>(effect)) {
                rank.armed = false;
            } else if (std::holds_alternative<CastEarlyVote>(effect)) {
                vote(i, {{}, 0, false, true});
            } else if (const auto* voting = std::get_if<ReportVoting>(&effect)) {
                if (hears_present_broker(i)) send(CalledToVote{voting->transaction});
            } else if (std::holds_alternative<SendReport>(effect)) {
                RC_ASSERT(!rank.votes && !rank.armed);
                on_report(i);
            }
        }
    }
    // Reports to an earlier broker do not count.
    void on_report(std::size_t i) {
        if (hears_present_broker(i)) ++reports_;
    }
    [[nodiscard]] bool hears_present_broker(std::size_t i) const {
        return std::ranges::none_of(ranks_[i].inbox, [](const Event& event) {
            return std::holds_alternative<BrokerBack>(event);
        });
    }
    void vote(std::size_t i, const Ballot& ballot) {
        RC_ASSERT(!ranks_[i].votes);  // one thread of a rank at a time
        ranks_[i].votes = true;
        votes_.cast(i, ballot);
    }

    void deliver(std::size_t i) {
        auto& inbox = ranks_[i].inbox;
        if (inbox.empty()) return;
        const auto event = inbox.front();
        inbox.pop_front();
        tell(i, event);
    }

    void advance(std::size_t i) {
        auto& rank = ranks_[i];
        if (rank.votes && votes_.has_returned(i)) return end_vote(i);
        const auto* plan = rank.gate.plan();
        if (plan != nullptr) return;  // its vote has not returned
        if (!rank.stands_at_point) {
            ++rank.count;
            rank.stands_at_point = rank.armed;
            if (!rank.armed) return;
        }
        const auto verdict = rank.gate.reach(rank.count);
        if (verdict == GateState::AtPoint::wait) return;
        rank.stands_at_point = false;
        if (verdict == GateState::AtPoint::pass) return;
        RC_ASSERT(rank.gate.plan()->point == rank.count);
        vote(i, {rank.gate.plan()->transaction, rank.count, !rank.gate.objection(), false});
    }
    void end_vote(std::size_t i) {
        auto& rank = ranks_[i];
        rank.votes = false;
        const bool all_yes = votes_.all_yes(i);
        if (const auto* plan = rank.gate.plan()) {
            const auto transaction = plan->transaction;
            if (all_yes) ++rank.committed;
            tell(i, SwitchEnded{transaction, all_yes, false});
            on_done(transaction);
        } else {
            RC_ASSERT(!all_yes);
            tell(i, EarlyVoteEnded{});
        }
    }

    enum class Stage { idle, asking, called_off, announced };
    std::vector<Rank> ranks_;
    Votes votes_;
    std::vector<int> choices_;
    Stage stage_ = Stage::idle;
    int transaction_ = 0;
    int attempt_ = 0;
    std::size_t answers_ = 0, done_ = 0;
    std::size_t reports_ = ranks_.size();
    std::int64_t highest_ = 0;
};

RC_GTEST_PROP(GateAgreement, ranks_agree_whatever_happens_when, ()) {
    const auto ranks = *rc::gen::inRange<std::size_t>(1, 5);
    const auto steps = *rc::gen::inRange<std::size_t>(0, 600);
    const auto any_choice = rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 1 << 20));
    const auto choices = *rc::gen::container<std::vector<int>>(steps, any_choice);
    World world(ranks, choices);
    world.run();
    world.check();
}

}  // namespace
}  // namespace ductile::engine::gate_agreement_test
