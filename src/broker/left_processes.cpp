#include "broker/left_processes.hpp"

#include <algorithm>
#include <utility>

namespace ductile::broker {

namespace {

using std::chrono::milliseconds;

constexpr auto end_within = milliseconds(2000);

}  // namespace

LeftProcesses::~LeftProcesses() {
    const auto until = Clock::now() + end_within;
    for (const auto& one : left_) {
        const auto time = std::chrono::duration_cast<milliseconds>(until - Clock::now());
        if (!one.process->ends_within(std::max(time, milliseconds(0))))
            one.process->kill_and_wait();
    }
}

void LeftProcesses::add(std::unique_ptr<rms::AgentProcess> process,
                        std::optional<Clock::time_point> until) {
    if (process && !process->ended()) left_.push_back({std::move(process), until});
}

void LeftProcesses::check(Clock::time_point now) {
    for (const auto& one : left_)
        if (one.until && now > *one.until) one.process->kill();
    std::erase_if(left_, [](const Left& one) { return one.process->ended(); });
}

}  // namespace ductile::broker
