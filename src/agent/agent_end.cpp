// The end of an agent. An agent ends when its part of the job is over and all groups on its host
// have ended. In some cases, such as at the orphan limit, it kills the groups first (end_all).
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
    go_on();
    log_("ending all: " + why);
    if (code != 0)
        std::fprintf(stderr, "ductile agent on %s: ending all processes of the job here: %s\n",
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
    // Peers do not monitor newcomers, so a host with only newcomers counts as complete. Without a
    // broker, GroupLife ends the newcomers (GroupTimer::joined). Under Open MPI it kills only the
    // ranks, because the end of their proxy would end the mpiexec of their parents.
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

// Called after each change: decides whether the agent ends.
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

// Waits as long as a slow reader needs. If no stream connection is open after 10 s, the output goes
// to a file.
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
    log_("all groups have ended here");
    orphan_.stop();
    power_.stop();
    end_strays(stray_looks);
}

// Looks repeatedly: a process may start another one just before it is killed.
void Agent::end_strays(int looks) {
    os::ProcessSelector all;
    all.mark = "DUCTILE_AGENT=" + bootstrap_.marker();
    all.unmarked_orphans = true;
    const auto left = os::find_processes(all);
    if (left.empty() || looks == 0) return send_goodbye();
    os::kill_processes(left);
    finish_timer_.expires_after(between_looks);
    finish_timer_.async_wait([this, looks](const asio::error_code& error) {
        if (!error) end_strays(looks - 1);
    });
}

void Agent::send_goodbye() {
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
