// A resource manager for tests. It writes down what it is told.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rms/resource_manager.hpp"

namespace ductile::broker {

/// Hosts come and go; "agents" are plain programs, which never connect.
class FakeManager final : public rms::ResourceManager {
  public:
    using Words = std::vector<std::string>;

    explicit FakeManager(Words& log, core::Allocation held = {})
        : held_(std::move(held)), log_(log) {}

    Words agent{"/bin/sleep", "60"};
    rms::OnHostAnswer answer;

    const core::Allocation& allocation() const override { return held_; }
    std::unique_ptr<rms::AgentProcess> start_agent(asio::io_context& io, const std::string& host,
                                                   const Words& argv, const std::string& line,
                                                   rms::AgentProcess::OnExit on_exit) override {
        const bool sweeps = argv.size() > 1 && argv[1] == "--sweep";
        log_.push_back((sweeps ? "sweep " : "start ") + host);
        return std::make_unique<rms::AgentProcess>(io, sweeps ? Words{"/bin/true"} : agent,
                                                   line + "\n", std::move(on_exit));
    }
    void attach(asio::io_context&, rms::OnHostAnswer on_answer, rms::OnNotice) override {
        answer = std::move(on_answer);
    }
    void request(rms::RequestId id, const rms::HostRequest& request) override {
        log_.push_back("request " + std::to_string(id.value) + ": " +
                       std::to_string(request.hosts));
    }
    void cancel(rms::RequestId id) override {
        log_.push_back("cancel " + std::to_string(id.value));
    }
    void release(const std::string& host) override { log_.push_back("release " + host); }
    bool takes_back() const override { return true; }
    std::vector<std::string> broker_addresses() const override { return {"127.0.0.1"}; }
    std::string bind_address() const override { return "127.0.0.1"; }
    bool logical() const override { return false; }
    std::string describe() const override { return "a test"; }

  private:
    core::Allocation held_;
    Words& log_;
};

}  // namespace ductile::broker
