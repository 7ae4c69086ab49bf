// An agent that lives in the test. It connects to the broker and sends what a real agent sends. The
// ranks of its program create a Job immediately, join newcomers, stop at the next resize point, and
// end when they are told to.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/bootstrap.hpp"
#include "script.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"

namespace ductile::broker {

/// All functions are to be called from the broker's event loop.
class FakeAgent : public std::enable_shared_from_this<FakeAgent> {
  public:
    /// What another broker finds of this agent.
    struct Remains {
        agent::Bootstrap bootstrap;
        std::set<core::Process> running;
    };

    FakeAgent(agent::Bootstrap bootstrap, Script& script)
        : bootstrap_(std::move(bootstrap)), script_(script) {}
    /// An agent that has lost its broker.
    FakeAgent(Remains remains, Script& script)
        : bootstrap_(std::move(remains.bootstrap)),
          script_(script),
          running_(std::move(remains.running)),
          is_started_(true) {}

    /// `pid`: a process that stands for the process of this agent; 0: there is no such process.
    void connect(asio::io_context& io, int pid) {
        pid_ = pid;
        wire::connect_channel(io, bootstrap_.addresses, bootstrap_.port, bootstrap_.identity,
                              bootstrap_.secret, std::chrono::seconds(4),
                              [self = shared_from_this()](const wire::ConnectResult& result) {
                                  self->connected(result.channel);
                              });
    }
    [[nodiscard]] Remains remains() const { return {bootstrap_, running_}; }
    /// Sends a message of this rank.
    void say(const core::Process& process, wire::FromRank message) {
        tell(wire::FromRanks{process.group, process.rank, std::move(message)});
    }
    /// All ranks of this host end their Jobs and exit with `code`.
    void end_program(int code) {
        for (const auto& process : std::set(running_)) {
            say(process, wire::Goodbye{});
            end(process, {process.group, process.rank, code, 0, true, true, ""});
        }
    }
    /// All ranks of this host are killed.
    void lose_ranks() {
        for (const auto& process : std::set(running_)) lose(process);
    }
    /// The host of this agent dies.
    void die() {
        channel_->fail("it is dead");
        kill_process();
    }
    /// Does the steps that were held back.
    void go_on() {
        for (const auto& step : std::exchange(held_, {})) step();
    }

  private:
    void connected(const std::shared_ptr<wire::Channel>& channel) {
        channel_ = channel;
        if (!channel_) return script_.log.add(bootstrap_.host_name + ": is not connected");
        channel_->on_message = [weak = weak_from_this()](const wire::Message& encoded) {
            const auto self = weak.lock();
            if (self)
                std::visit([&](const auto& m) { self->on(m); },
                           wire::decode<wire::ToAgent>(encoded));
        };
        channel_->start();
        wire::AgentHello hello;
        hello.job = bootstrap_.identity.job;
        hello.host = bootstrap_.identity.host;
        hello.generation = bootstrap_.identity.generation;
        hello.pid = ::getpid();
        hello.host_name = "fake";
        tell(hello);
        if (is_started_) return;
        for (const auto& run : bootstrap_.runs) on(run);
    }
    void tell(const wire::FromAgent& message) { channel_->send(message); }
    void note(const std::string& what) { script_.log.add(bootstrap_.host_name + ": " + what); }
    /// Logs `what` and calls `then`. If the script holds `what`, go_on() calls `then`.
    void step(const std::string& what, std::function<void()> then) {
        const bool is_held = std::ranges::any_of(
            script_.held, [&](const std::string& end) { return what.ends_with(end); });
        if (is_held) held_.push_back(then);
        note(what);
        if (!is_held) then();
    }
    static std::vector<core::Process> processes_in(const std::vector<wire::RangeFields>& ranges) {
        std::vector<core::Process> all;
        for (const auto& range : ranges)
            for (int i = 0; i < range.ranks; ++i)
                all.push_back({range.group, core::Rank{range.first.value + i}});
        return all;
    }
    static std::string name_of(const core::Process& process) { return core::to_string(process); }

    // ---- groups ----

    void on(const wire::StartRun& run) {
        note("starts " + std::to_string(run.ranks));
        for (int i = 0; i < run.ranks; ++i) {
            const core::Process process{run.group, core::Rank{run.first_rank + i}};
            running_.insert(process);
            say(process, wire::RankHello{process.group, process.rank, ::getpid()});
        }
        if (run.first_rank != 0) return;
        const auto& groups = std::get<wire::RankWelcome>(run.welcome).added;
        wire::Ready ready;
        ready.ranks = std::ranges::find(groups, run.group, &wire::GroupFields::id)->ranks;
        ready.mpi = "a test";
        const core::Process leader{run.group, core::Rank{0}};
        step("rank " + name_of(leader) + " is ready", [this, leader, ready] {
            say(leader, ready);
            say(leader, wire::Formed{});
        });
    }
    void on(const wire::KillRun& order) {
        note("kills g" + std::to_string(order.group.value));
        for (const auto& process : std::set(running_))
            if (process.group == order.group) lose(process);
    }
    void on(const wire::RanksLeave& order) {
        for (const auto& process : processes_in(order.ranks)) {
            note("rank " + name_of(process) + " leaves");
            say(process, wire::Goodbye{});
            end(process, {process.group, process.rank, 0, 0, true, true, ""});
        }
    }
    void lose(const core::Process& process) {
        end(process, {process.group, process.rank, 128 + SIGKILL, SIGKILL, true, false, ""});
    }
    void end(const core::Process& process, const wire::RankEnded& ended) {
        running_.erase(process);
        tell(ended);
        const bool is_last = std::ranges::none_of(
            running_, [&](const core::Process& other) { return other.group == process.group; });
        if (is_last) tell(wire::RunEnded{process.group, 0, 0, ""});
    }

    // ---- what ranks are told ----

    void on(const wire::ToRanks& order) {
        for (const auto& process : processes_in(order.ranks))
            std::visit([&](const auto& m) { hear(process, m); }, order.message);
    }
    void hear(const core::Process& process, const wire::Commit& commit) {
        note("rank " + name_of(process) + " of " +
             std::to_string(core::ranks_in(commit.layout.active)));
    }
    void hear(const core::Process& process, const wire::OpenBridge& order) {
        say(process, wire::BridgePort{order.transaction, "a port"});
    }
    void hear(const core::Process& process, const wire::ConnectBridge& order) {
        say(process, wire::ConnectStarting{order.transaction});
        step("rank " + name_of(process) + " connects", [this, process, order] {
            say(process, wire::Bridged{order.transaction, true, "", 0, false});
        });
    }
    void hear(const core::Process& process, const wire::AcceptBridge& order) {
        step("rank " + name_of(process) + " accepts", [this, process, order] {
            say(process, wire::Bridged{order.transaction, true, "", 0, false});
        });
    }
    void hear(const core::Process& process, const wire::Prepare& prepare) {
        step("rank " + name_of(process) + " is asked", [this, process, prepare] {
            say(process, wire::PointAnswer{prepare.transaction, prepare.attempt, 5, false});
        });
    }
    void hear(const core::Process& process, const wire::Decision& decision) {
        if (decision.point == 0) return note("rank " + name_of(process) + " goes on");
        step("rank " + name_of(process) + " switches",
             [this, process, decision] { vote(process, decision.transaction, true); });
    }
    void hear(const core::Process& process, const wire::Abandon& order) {
        note("rank " + name_of(process) + " abandons");
        held_.clear();
        vote(process, order.transaction, false);
    }
    void hear(const core::Process& process, const wire::Join&) {
        note("rank " + name_of(process) + " joins");
    }
    template <class Other>
    void hear(const core::Process&, const Other&) {}

    void vote(const core::Process& process, core::TransactionId resize, bool committed) {
        const bool leads = process == core::Process{core::GroupId{0}, core::Rank{0}};
        if (leads) say(process, wire::Arrived{resize});
        wire::SwitchDone done;
        done.transaction = resize;
        done.committed = committed;
        done.leader = leads;
        step("rank " + name_of(process) + (committed ? " votes" : " votes no"),
             [this, process, done] { say(process, done); });
    }

    // ---- the rest ----

    void on(const wire::RunAbortConnector& order) {
        note("the accept is helped");
        held_.clear();
        for (const auto& process : running_)
            say(process, wire::Bridged{order.transaction, false, "abandoned", 0, false});
        tell(wire::AbortConnectorEnded{order.transaction, true, ""});
    }
    void on(const wire::QueryInventory&) {
        wire::Inventory inventory;
        inventory.committed = script_.committed;
        std::map<core::GroupId, wire::GroupInventory> groups;
        for (const auto& process : running_) {
            auto& group = groups[process.group];
            if (group.ranks.empty()) group.first_rank = process.rank.value;
            group.group = process.group;
            group.member = process.group.value == 0 || script_.committed.value > 0;
            wire::RankInventory rank;
            rank.hello = true;
            group.ranks.push_back(rank);
        }
        for (const auto& [id, group] : groups) inventory.groups.push_back(group);
        tell(inventory);
        for (const auto& process : running_)
            say(process, wire::RankReport{script_.committed, false, false});
    }
    void on(const wire::Heartbeat&) { tell(wire::Heartbeat{}); }
    void on(const wire::FinishAgent&) {
        step("finishes", [this] { leave(); });
    }
    void on(const wire::EndJob& order) {
        note("ends: " + order.why);
        lose_ranks();
        note("has ended");
        leave();
    }
    template <class Other>
    void on(const Other&) {}

    void leave() {
        tell(wire::AgentGoodbye{});
        channel_->close();
        kill_process();
    }
    void kill_process() const {
        if (pid_ > 0) ::kill(pid_, SIGKILL);
    }

    const agent::Bootstrap bootstrap_;
    Script& script_;
    std::shared_ptr<wire::Channel> channel_;
    std::set<core::Process> running_;
    const bool is_started_ = false;  ///< whether another broker has started its ranks
    std::vector<std::function<void()>> held_;
    int pid_ = 0;
};

}  // namespace ductile::broker
