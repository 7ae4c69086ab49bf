// Agents that live in the test: they connect to the broker and say what an agent of a program says
// whose ranks make a Job at once, stop at the next point and end when they are told to.
#pragma once

#include <unistd.h>

#include <asio/post.hpp>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/bootstrap.hpp"
#include "rms/resource_manager.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"

namespace ductile::broker {

class FakeAgent : public std::enable_shared_from_this<FakeAgent> {
  public:
    using Log = std::vector<std::string>;

    FakeAgent(agent::Bootstrap bootstrap, int ranks, Log& log)
        : bootstrap_(std::move(bootstrap)), ranks_(ranks), log_(log) {}

    void connect(asio::io_context& io, int pid) {
        io_ = &io;
        pid_ = pid;
        wire::connect_channel(io, bootstrap_.addresses, bootstrap_.port, bootstrap_.identity,
                              bootstrap_.secret, std::chrono::seconds(4),
                              [self = shared_from_this()](const wire::ConnectResult& result) {
                                  self->connected(result.channel);
                              });
    }
    /// All ranks of this host end their Jobs, and then themselves. From any thread.
    void end_program(int code) {
        asio::post(*io_, [self = shared_from_this(), code] {
            for (const auto& [rank, group] : self->running_) {
                self->say(group, rank, wire::Goodbye{});
                self->tell(wire::RankEnded{group, rank, code, 0, true, true, ""});
            }
            self->end_runs();
        });
    }
    /// Its host dies. From any thread.
    void die() {
        asio::post(*io_, [self = shared_from_this()] {
            self->channel_->fail("it is dead");
            ::kill(self->pid_, SIGKILL);
        });
    }

  private:
    void connected(const std::shared_ptr<wire::Channel>& channel) {
        channel_ = channel;
        if (!channel_) return log_.push_back("not connected");
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
        for (const auto& run : bootstrap_.runs) on(run);
    }
    void tell(const wire::FromAgent& message) { channel_->send(message); }
    void say(core::GroupId group, core::Rank rank, wire::FromRank message) {
        tell(wire::FromRanks{group, rank, std::move(message)});
    }
    void note(const std::string& what) { log_.push_back(bootstrap_.host_name + ": " + what); }

    void on(const wire::StartRun& run) {
        note("starts " + std::to_string(run.ranks));
        for (int i = 0; i < run.ranks; ++i) {
            const core::Rank rank{run.first_rank + i};
            running_[rank] = run.group;
            say(run.group, rank, wire::RankHello{run.group, rank, ::getpid()});
        }
        if (run.first_rank != 0) return;
        wire::Ready ready;
        ready.ranks = ranks_;
        ready.mpi = "a test";
        say(run.group, core::Rank{0}, ready);
        say(run.group, core::Rank{0}, wire::Formed{});
    }
    void on(const wire::ToRanks& order) {
        for (const auto& range : order.ranks)
            for (int i = 0; i < range.ranks; ++i)
                std::visit(
                    [&](const auto& m) { hear(range.group, core::Rank{range.first.value + i}, m); },
                    order.message);
    }
    void hear(core::GroupId, core::Rank rank, const wire::Commit& commit) {
        note("rank " + std::to_string(rank.value) + " of " +
             std::to_string(core::ranks_in(commit.layout.active)));
    }
    void hear(core::GroupId group, core::Rank rank, const wire::Prepare& prepare) {
        say(group, rank, wire::PointAnswer{prepare.transaction, prepare.attempt, 5, false});
    }
    void hear(core::GroupId group, core::Rank rank, const wire::Decision& decision) {
        if (decision.point == 0) return note("rank " + std::to_string(rank.value) + " goes on");
        note("rank " + std::to_string(rank.value) + " switches");
        wire::SwitchDone done;
        done.transaction = decision.transaction;
        done.committed = true;
        done.leader = rank.value == 0;
        say(group, rank, done);
    }
    template <class Other>
    void hear(core::GroupId, core::Rank, const Other&) {}

    void on(const wire::RanksLeave& order) {
        for (const auto& range : order.ranks)
            for (int i = 0; i < range.ranks; ++i) {
                const core::Rank rank{range.first.value + i};
                note("rank " + std::to_string(rank.value) + " leaves");
                say(range.group, rank, wire::Goodbye{});
                tell(wire::RankEnded{range.group, rank, 0, 0, true, true, ""});
                running_.erase(rank);
                if (running_.empty()) tell(wire::RunEnded{range.group, 0, 0, ""});
            }
    }
    void on(const wire::FinishAgent&) { leave("finishes"); }
    void on(const wire::EndJob& order) {
        note("ends: " + order.why);
        end_runs();
        leave("has ended");
    }
    template <class Other>
    void on(const Other&) {}

    void end_runs() {
        std::map<core::GroupId, int> groups;
        for (const auto& [rank, group] : running_) ++groups[group];
        running_.clear();
        for (const auto& [group, ranks] : groups) tell(wire::RunEnded{group, 0, 0, ""});
    }
    void leave(const std::string& how) {
        note(how);
        tell(wire::AgentGoodbye{});
        channel_->close();
        ::kill(pid_, SIGKILL);
    }

    const agent::Bootstrap bootstrap_;
    const int ranks_;
    Log& log_;
    std::shared_ptr<wire::Channel> channel_;
    std::map<core::Rank, core::GroupId> running_;
    asio::io_context* io_ = nullptr;
    int pid_ = -1;
};

/// Hosts "h0", "h1", ... of one slot, each with a FakeAgent.
class FakeHosts final : public rms::ResourceManager {
  public:
    FakeHosts(int hosts, FakeAgent::Log& log,
              std::map<std::string, std::shared_ptr<FakeAgent>>& agents)
        : log_(log), agents_(agents) {
        for (int i = 0; i < hosts; ++i) held_.hosts.push_back({"h" + std::to_string(i), 1});
    }
    /// Of the world that the job begins with.
    int ranks = 0;
    bool agents_connect = true;

    const core::Allocation& allocation() const override { return held_; }
    std::unique_ptr<rms::AgentProcess> start_agent(asio::io_context& io, const std::string& host,
                                                   const std::vector<std::string>& argv,
                                                   const std::string& line,
                                                   rms::AgentProcess::OnExit on_exit) override {
        const bool sweeps = argv.size() > 1 && argv[1] == "--sweep";
        const std::vector<std::string> program = sweeps || !agents_connect
                                                     ? std::vector<std::string>{"/bin/false"}
                                                     : std::vector<std::string>{"/bin/sleep", "60"};
        auto process = std::make_unique<rms::AgentProcess>(io, program, "", std::move(on_exit));
        if (sweeps || !agents_connect) return process;
        agents_[host] = std::make_shared<FakeAgent>(agent::parse_bootstrap(line), ranks, log_);
        agents_[host]->connect(io, process->pid());
        return process;
    }
    void attach(asio::io_context&, rms::OnHostAnswer, rms::OnNotice) override {}
    void request(rms::RequestId, const rms::HostRequest&) override {}
    void cancel(rms::RequestId) override {}
    void release(const std::string&) override {}
    bool takes_back() const override { return false; }
    std::vector<std::string> broker_addresses() const override { return {"127.0.0.1"}; }
    std::string bind_address() const override { return "127.0.0.1"; }
    bool logical() const override { return true; }
    std::string describe() const override { return "a test"; }

  private:
    core::Allocation held_;
    FakeAgent::Log& log_;
    std::map<std::string, std::shared_ptr<FakeAgent>>& agents_;
};

}  // namespace ductile::broker
