// A fake of the MPI calls between a member and the other ranks of its job. The test decides what
// the other ranks do. The calls of the member are recorded.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/peers.hpp"

namespace ductile::engine {

/// No MPI runs here: all communicators are null. The address of an mpi::Comm identifies it.
class FakePeers final : public Peers {
  public:
    /// Returns the result of a vote. If it is empty, the other ranks vote yes.
    std::function<Tally(const Ballot&)> count;
    /// What happens while data moves: the function may throw, or return late.
    std::function<void(data::Progress&)> while_moving;

    /// The communicators of the job for the rank at `place`.
    MemberComms job(Place place) {
        const std::lock_guard lock(mutex_);
        return {known(place), known(place), known(place)};
    }
    /// The next text that another rank gets from rank 0.
    void rank_0_says(std::string text) {
        const std::lock_guard lock(mutex_);
        texts_.push_back(std::move(text));
    }
    /// The verdict that the members send to this parked rank.
    void give(Verdict verdict) {
        const std::lock_guard lock(mutex_);
        verdicts_.push_back(std::move(verdict));
    }
    /// The calls since the last take_asked(), without local calls.
    std::vector<std::string> take_asked() {
        const std::lock_guard lock(mutex_);
        return std::exchange(asked_, {});
    }
    /// Waits until this is the last call.
    void await(const std::string& what) {
        for (;;) {
            {
                const std::lock_guard lock(mutex_);
                if (!asked_.empty() && asked_.back() == what) return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    /// The ballot of this rank in the last vote.
    [[nodiscard]] Ballot ballot() {
        const std::lock_guard lock(mutex_);
        return ballot_;
    }
    [[nodiscard]] std::vector<Verdict> sent() {
        const std::lock_guard lock(mutex_);
        return sent_;
    }
    /// The communicator from which this one got its error handler. Null: MPI_COMM_WORLD.
    [[nodiscard]] const mpi::Comm* handler_of(const mpi::SharedComm& job) {
        const std::lock_guard lock(mutex_);
        return handlers_.at(job.get()).get();
    }

    [[nodiscard]] Place place_in(const mpi::Comm& comm) const override {
        const std::lock_guard lock(mutex_);
        return places_.at(&comm);
    }
    void take_error_handler(const mpi::SharedComm& before, const mpi::Comm& job) override {
        const std::lock_guard lock(mutex_);
        handlers_[&job] = before;
    }
    Tally vote(const mpi::Comm& comm, const Ballot& ballot) override {
        {
            const std::lock_guard lock(mutex_);
            ballot_ = ballot;
            asked_.push_back("vote of " + std::to_string(places_.at(&comm).size) +
                             (ballot.early ? ": early"
                              : ballot.yes ? ": yes"
                                           : ": no"));
        }
        return count ? count(ballot) : Tally{ballot.yes, ballot.early, false};
    }
    std::string text_of_rank_0(const mpi::Comm& comm, const std::string& mine) override {
        const std::lock_guard lock(mutex_);
        asked_.emplace_back("text");
        if (places_.at(&comm).rank == 0) return mine;
        auto text = texts_.at(0);
        texts_.pop_front();
        return text;
    }
    MemberComms among(const mpi::Comm& all, const std::vector<core::Rank>& ranks) override {
        const std::lock_guard lock(mutex_);
        asked_.push_back("among" + list(ranks));
        const auto me = std::ranges::find(ranks, core::Rank{places_.at(&all).rank});
        const Place place{static_cast<int>(me - ranks.begin()), static_cast<int>(ranks.size())};
        return {known(place), known(place), known(place)};
    }
    mpi::SharedComm duplicate(const mpi::Comm& comm) override {
        const std::lock_guard lock(mutex_);
        asked_.emplace_back("duplicate");
        return known(places_.at(&comm));
    }
    data::Moved move(plan::Executor executor, const mpi::Comm&, const data::Movement& movement,
                     data::Progress& progress) override {
        {
            const std::lock_guard lock(mutex_);
            asked_.push_back("move to" + list(movement.parties.targets));
            used_ = executor;
        }
        if (while_moving) while_moving(progress);
        progress.step();
        return {.bytes_sent = 8, .bytes_new = 16};
    }
    void send_verdict(const mpi::Comm&, const Verdict& verdict, core::Rank to) override {
        const std::lock_guard lock(mutex_);
        asked_.push_back("verdict to " + std::to_string(to.value));
        sent_.push_back(verdict);
    }
    std::optional<Verdict> take_verdict(const mpi::Comm&) override {
        const std::lock_guard lock(mutex_);
        if (verdicts_.empty()) return std::nullopt;
        auto first = verdicts_.front();
        verdicts_.pop_front();
        return first;
    }
    /// The executor of the last move.
    [[nodiscard]] plan::Executor used() {
        const std::lock_guard lock(mutex_);
        return used_;
    }

  private:
    mpi::SharedComm known(Place place) {
        auto comm = std::make_shared<mpi::Comm>();
        places_[comm.get()] = place;
        kept_.push_back(comm);
        return comm;
    }
    static std::string list(const std::vector<core::Rank>& ranks) {
        std::string text;
        for (const auto rank : ranks) text += " " + std::to_string(rank.value);
        return text;
    }

    mutable std::mutex mutex_;
    std::map<const mpi::Comm*, Place> places_;
    std::vector<mpi::SharedComm> kept_;  // so that no address comes twice
    std::map<const mpi::Comm*, mpi::SharedComm> handlers_;
    std::vector<std::string> asked_;
    std::deque<std::string> texts_;
    std::deque<Verdict> verdicts_;
    std::vector<Verdict> sent_;
    Ballot ballot_;
    plan::Executor used_ = plan::Executor::automatic;
};

}  // namespace ductile::engine
