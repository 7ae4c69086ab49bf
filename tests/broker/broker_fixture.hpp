// A broker with agents that live in the test: a job's whole life without MPI and without a rank.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asio/post.hpp>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "broker/broker.hpp"
#include "fake_hosts.hpp"
#include "wire/local_socket.hpp"

namespace ductile::broker {

class BrokerTest : public testing::Test {
  protected:
    BrokerTest() {
        std::string name = testing::TempDir() + "ductile-broker-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory");
        directory = name;
        spec.id = "job-of-a-test";
        spec.origin = "{}";
        spec.launch.program = {"/bin/true"};
        spec.launch.directory = "/";
        spec.launch.serves_pmi = true;
        spec.mpi.implementation = "a test";
        spec.mpi.agents_start_ranks = true;
        spec.mpi.open_port = spec.mpi.independent_connect = spec.mpi.introduces_strangers = true;
    }
    ~BrokerTest() override { std::filesystem::remove_all(directory); }

    FakeHosts& make_hosts(int count, int slots = 1) {
        hosts = std::make_unique<FakeHosts>(count, slots, script, agents);
        return *hosts;
    }
    /// A broker for the hosts that make_hosts() made last.
    std::unique_ptr<Broker> broker(int ranks, std::optional<Journal> taken_over = std::nullopt) {
        spec.ranks = {ranks, ranks};
        running_on = hosts.get();
        return std::make_unique<Broker>(spec, std::move(hosts), directory.string(), journal_path(),
                                        std::move(taken_over));
    }
    [[nodiscard]] std::string journal_path() const { return (directory / "journal").string(); }
    /// Runs the job, and beside it `user`, which sends requests. Returns the exit code of the job.
    int run(Broker& broker, const std::function<void()>& user) {
        auto asking = std::async(std::launch::async, [this, &user] {
            user();
            if (HasFatalFailure()) end_job();
        });
        const int code = broker.run();
        asking.get();
        agents.clear();  // their connections belong to the broker's loop
        return code;
    }

    // ---- for the user ----

    /// Asks as the `ductile` program does. Returns the last reply.
    [[nodiscard]] wire::Reply ask(const wire::Request& request) const {
        auto socket =
            wire::LocalSocket::connect((directory / socket_name).string(), std::chrono::seconds(5));
        socket.send(wire::to_frame(request));
        wire::Reply last;
        try {
            while (const auto json = socket.receive(std::chrono::seconds(10)))
                last = std::get<wire::Reply>(wire::decode<wire::Answer>(*json));
        } catch (const SystemError&) {  // the broker closes the connection after its last word
        }
        return last;
    }
    [[nodiscard]] std::future<wire::Reply> ask_beside(const wire::Request& request) const {
        return std::async(std::launch::async, [this, request] { return ask(request); });
    }
    /// A request that is answered when the resize has ended.
    static wire::ResizeRequest resize_to(int ranks) {
        wire::ResizeRequest request;
        request.size = core::SizeRange::exactly(ranks);
        request.wait = true;
        return request;
    }
    [[nodiscard]] nlohmann::json status() const {
        return nlohmann::json::parse(ask(wire::StatusRequest{}).data);
    }
    /// Waits until the open resize is in this phase.
    void await_phase(const std::string& phase) const {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        std::string now;
        while (now != phase && std::chrono::steady_clock::now() < until)
            now = status().value("/pending/phase"_json_pointer, "none");
        EXPECT_EQ(now, phase);
    }
    void end_job() const { EXPECT_EQ(ask(wire::EndRequest{}).kind, wire::ReplyKind::accepted); }
    /// Does this in the broker's event loop, and waits until it is done.
    void in_loop(const std::function<void()>& what) const {
        std::promise<void> done;
        asio::post(running_on->io(), [&] {
            what();
            done.set_value();
        });
        done.get_future().get();
    }
    /// From now on agents hold back the steps whose log lines end with `what` (Script::held).
    void hold(const std::string& what) {
        in_loop([this, &what] { script.held = {what}; });
    }
    /// All agents do the steps that they have held back.
    void go_on() { go_on_until({}); }
    /// The same. From now on agents hold back the steps in `held`.
    void go_on_until(const std::set<std::string>& held) {
        in_loop([&] {
            script.held = held;
            for (const auto& [host, agent] : agents) agent->go_on();
        });
    }

    std::filesystem::path directory;
    JobSpec spec;
    Script script;
    FakeAgents agents;
    std::unique_ptr<FakeHosts> hosts;
    FakeHosts* running_on = nullptr;
};

}  // namespace ductile::broker
