// A fake of the MPI calls of a join. The test decides what happens in each step.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <thread>

#include "engine/join_steps.hpp"
#include "fake_peers.hpp"
#include "fake_spawn_steps.hpp"

namespace ductile::engine {

/// No MPI runs here. Each step is recorded by its name, and then its function in `at` is called.
class FakeJoinSteps final : public JoinSteps {
  public:
    explicit FakeJoinSteps(std::shared_ptr<FakePeers> peers) : peers_(std::move(peers)) {}

    Place all;          ///< the place of this rank among sources and newcomers
    std::string state;  ///< the state of rank 0, for a rank that passes an empty state
    /// What happens in a step, by its name: the function may throw, or return late.
    std::map<std::string, std::function<void(data::Progress&)>> at;
    std::function<void(const JoinSide&)> on_handshake;  ///< may look at the side

    /// The steps since the last call.
    std::vector<std::string> take_steps() {
        const std::lock_guard lock(mutex_);
        return std::exchange(steps_, {});
    }
    [[nodiscard]] bool is_at(const std::string& step) {
        const std::lock_guard lock(mutex_);
        return !steps_.empty() && steps_.back() == step;
    }

    /// Waits until this is the last step.
    void await(const std::string& step) {
        while (!is_at(step)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    /// The next processes that connect to the port. The last one connects again and again.
    std::deque<Accepted> connectors;

    std::string open_port() override {
        go("open port");
        return "the port";
    }
    Accepted accept(const std::string& port, const BridgeHello& expected) override {
        go("accept at " + port + " with " + expected.secret);
        const auto first = connectors.front();
        if (connectors.size() > 1) connectors.pop_front();
        return first;
    }
    mpi::SharedComm own_comm(const mpi::Comm& sources, core::TransactionId) override {
        go("own comm");
        return peers_->job(peers_->place_in(sources)).switching;
    }
    bool await_entry(const mpi::Comm&, const std::function<bool()>& given_up) override {
        go("await entry");
        return !given_up();
    }
    void await_newcomers(const JoinSide&, data::Progress& progress) override {
        go("await newcomers", progress);
    }
    void enter(const mpi::Comm&) override { go("enter"); }
    void handshake(const JoinSide& side, data::Progress& progress) override {
        if (on_handshake) on_handshake(side);
        go("handshake", progress);
    }
    MemberComms connect(const JoinSide&, data::Progress& progress) override {
        go("connect", progress);
        return peers_->job(all);
    }
    JoinedSides exchange_state(MemberComms comms, const std::string& mine, data::Progress& progress,
                               const OwnPart& own_part) override {
        go("exchange", progress);
        JoinedSides joined{std::move(comms), mine.empty() ? state : mine};
        try {
            if (own_part.work) own_part.work(joined);
        } catch (const Error& error) {
            throw SystemError(own_part.who + ": " + error.what());
        }
        return joined;
    }
    std::vector<std::uint8_t> min_of_all(const mpi::Comm&, const std::vector<std::uint8_t>& mine,
                                         data::Progress& progress) override {
        go("least", progress);
        return mine;
    }
    void await_all_ahead(const mpi::Comm&, data::Progress& progress) override {
        go("all ahead", progress);
    }
    MemberComms comms_after(const MemberComms&, const data::Parties& parties, const JoinSide&,
                            data::Progress& progress) override {
        go("comms after", progress);
        const auto& targets = parties.targets;
        const auto me = std::ranges::find(targets, core::Rank{all.rank});
        if (me == targets.end()) return {};
        return peers_->job(
            {static_cast<int>(me - targets.begin()), static_cast<int>(targets.size())});
    }
    void tell_commit(const mpi::Comm&) override { go("tell commit"); }
    void await_commit(const JoinSide&, Mailbox& mail) override {
        go("await commit");
        mail.wait_for<wire::Commit>([](const auto&) {});
    }
    void await_all_moved(const mpi::Comm&, data::Progress& progress) override {
        go("all moved", progress);
    }

  private:
    void go(const std::string& step, data::Progress& progress) {
        std::function<void(data::Progress&)> what;
        {
            const std::lock_guard lock(mutex_);
            steps_.push_back(step);
            if (const auto found = at.find(step); found != at.end()) what = found->second;
        }
        if (what) what(progress);
        progress.step();
    }
    void go(const std::string& step) {
        data::Progress nobody_looks;
        go(step, nobody_looks);
    }

    const std::shared_ptr<FakePeers> peers_;
    std::mutex mutex_;
    std::vector<std::string> steps_;
};

/// The fakes of all MPI calls of one rank.
struct FakeMpi {
    std::shared_ptr<FakePeers> peers = std::make_shared<FakePeers>();
    std::shared_ptr<FakeJoinSteps> join = std::make_shared<FakeJoinSteps>(peers);
    std::shared_ptr<FakeSpawnSteps> spawn = std::make_shared<FakeSpawnSteps>();
    [[nodiscard]] MpiCalls calls() const { return {peers, join, spawn}; }
};

}  // namespace ductile::engine
