// Hosts "h0", "h1", ..., each with a FakeAgent.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fake_agent.hpp"
#include "rms/resource_manager.hpp"

namespace ductile::broker {

using FakeAgents = std::map<std::string, std::shared_ptr<FakeAgent>>;

class FakeHosts final : public rms::ResourceManager {
  public:
    FakeHosts(int hosts, int slots, Script& script, FakeAgents& agents)
        : script_(script), agents_(agents) {
        for (int i = 0; i < hosts; ++i) held_.hosts.push_back({"h" + std::to_string(i), slots});
    }
    bool agents_connect = true;
    bool come_and_go = false;
    /// Agents of a broker that has died. They connect to the broker that takes their job over.
    std::vector<FakeAgent::Remains> remains;

    /// Answers a request. To be called from the event loop.
    void answer(const rms::HostAnswer& answer) const { on_answer_(answer); }
    [[nodiscard]] asio::io_context& io() const { return *io_; }

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
        agents_[host] = std::make_shared<FakeAgent>(agent::parse_bootstrap(line), script_);
        agents_[host]->connect(io, process->pid());
        return process;
    }
    void attach(asio::io_context& io, rms::OnHostAnswer on_answer, rms::OnNotice) override {
        io_ = &io;
        on_answer_ = std::move(on_answer);
        for (auto& one : std::exchange(remains, {})) {
            const auto name = one.bootstrap.host_name;
            agents_[name] = std::make_shared<FakeAgent>(std::move(one), script_);
            agents_[name]->connect(io, 0);
        }
    }
    void request(rms::RequestId id, const rms::HostRequest& request) override {
        script_.log.add("request " + std::to_string(id.value) + ": " +
                        std::to_string(request.hosts));
    }
    void cancel(rms::RequestId id) override {
        script_.log.add("cancel " + std::to_string(id.value));
    }
    void release(const std::string& host) override { script_.log.add("release " + host); }
    bool takes_back() const override { return come_and_go; }
    std::vector<std::string> broker_addresses() const override { return {"127.0.0.1"}; }
    std::string bind_address() const override { return "127.0.0.1"; }
    bool logical() const override { return true; }
    std::string describe() const override { return "a test"; }

  private:
    core::Allocation held_;
    Script& script_;
    FakeAgents& agents_;
    asio::io_context* io_ = nullptr;
    rms::OnHostAnswer on_answer_;
};

}  // namespace ductile::broker
