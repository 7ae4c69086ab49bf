// How an agent ends: when all has ended here, when it is told to, or at the orphan limit.
#include <cstdio>

#include "agent/agent.hpp"
#include "os/stray_processes.hpp"
#include "rms/self.hpp"

namespace ductile::agent {

namespace {

constexpr auto stream_patience = std::chrono::seconds(10);
constexpr auto goodbye_limit = std::chrono::seconds(5);
constexpr int stray_looks = 100;
constexpr auto between_looks = std::chrono::milliseconds(10);

}  // namespace

void Agent::end_all(const std::string& why, int code) {
    if (!life_.end(code)) return;
    log_("ending all: " + why);
    if (code != 0)
        std::fprintf(stderr, "ductile agent on %s: ending what runs here: %s\n",
                     rms::host_name().c_str(), why.c_str());
    if (code != 0 && is_orphaned() && peers_.monitor().is_coordinator()) peers_.dismiss(why);
    if (broker_.state() != BrokerState::connected) streams_.divert(output_path());
    host_.kill_all();
    consider();
}

Situation Agent::situation() const {
    const auto& groups = host_.groups();
    const auto& welcome = host_.welcome();
    const bool stuck = welcome && welcome->spawn_blocks_threads && groups.spawn();
    // Newcomers are not monitored by peers. They end on their own, because killing their daemon
    // would take down their parents' launcher.
    return {broker_.state(), peers_.are_complete() || groups.are_only_newcomers(),
            groups.have_failed() || peers_.monitor().has_failed(), stuck};
}

AgentView Agent::view() const {
    const auto& groups = host_.groups();
    const auto& peers = peers_.monitor();
    return {groups.all_ended(),
            groups.had_none(),
            groups.have_failed() || peers.has_failed(),
            broker_.state() == BrokerState::gone,
            peers.knows_coordinator(),
            peers.is_coordinator(),
            peers.others_ended(),
            peers_.are_complete(),
            streams_.has_finished()};
}

// Whatever has changed: is it time to end?
void Agent::consider() {
    if (life_.is_finishing()) return;
    const auto& failure = history_.last_failure();
    if (is_orphaned() && host_.groups().have_failed() && failure) peers_.report_failure(*failure);
    watch_orphan();
    for (const auto step : life_.consider(view())) carry_out(step);
}

void Agent::carry_out(AgentStep step) {
    switch (step) {
        case AgentStep::report_end:
            return peers_.report_end();
        case AgentStep::await_output:
            return await_output();
        case AgentStep::finish:
            return finish();
    }
}

// A slow reader is waited for; a stream connection that does not come about is not.
void Agent::await_output() {
    finish_timer_.expires_after(stream_patience);
    finish_timer_.async_wait([this](const asio::error_code& error) {
        if (error) return;
        if (!streams_.has_reader()) streams_.divert(output_path());
        consider();
        if (!life_.is_finishing()) await_output();
    });
}

void Agent::watch_orphan() {
    orphan_.update(situation());
    if (!life_.is_working()) orphan_.stop();
}

void Agent::finish() {
    log_("nothing of the job is left here");
    orphan_.stop();
    end_strays(stray_looks);
}

// What is killed may have started another just before.
void Agent::end_strays(int looks) {
    os::ProcessSelector all;
    all.mark = "DUCTILE_AGENT=" + bootstrap_.marker();
    all.unmarked_orphans = true;
    const auto left = os::find_processes(all);
    if (left.empty() || looks == 0) return say_goodbye();
    os::kill_processes(left);
    finish_timer_.expires_after(between_looks);
    finish_timer_.async_wait([this, looks](const asio::error_code& error) {
        if (!error) end_strays(looks - 1);
    });
}

void Agent::say_goodbye() {
    host_.close();
    if (peers_.monitor().is_coordinator() && is_orphaned() && life_.code() == 0) peers_.dismiss("");
    peers_.close();
    finish_timer_.expires_after(goodbye_limit);
    finish_timer_.async_wait([this](const asio::error_code& error) {
        if (!error) io_.stop();
    });
    streams_.finish([this] { broker_.finish([this] { io_.stop(); }); });
}

}  // namespace ductile::agent
