// Measures the power of this host every second, and reports it.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <utility>

#include "agent/rapl.hpp"
#include "os/job_timer.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::agent {

class PowerMeter {
  public:
    using Report = std::function<void(const wire::HostPower&)>;
    /// `logical`: several hosts of the job share this machine. Then their power is not known.
    PowerMeter(asio::io_context& io, bool logical, Report report)
        : timer_(io), logical_(logical), report_(std::move(report)) {}

    void start() { tick(); }
    void stop() { timer_.cancel(); }

  private:
    void tick() {
        report_(measured());
        timer_.expires_after(std::chrono::seconds(1));
        timer_.async_wait([this](const asio::error_code& error) {
            if (!error) tick();
        });
    }
    wire::HostPower measured() {
        if (logical_) return {0, "several hosts of the job are on one machine"};
        const auto power = rapl_.watts(std::chrono::steady_clock::now());
        if (const auto* none = std::get_if<Rapl::NoPower>(&power)) return {0, none->why};
        return {std::min(std::get<double>(power), wire::limits::watts), {}};
    }

    os::JobTimer timer_;
    const bool logical_;
    Report report_;
    Rapl rapl_;
};

}  // namespace ductile::agent
