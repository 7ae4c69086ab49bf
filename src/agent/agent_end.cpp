// How an agent ends: when all has ended here, when it is told to, or at the orphan limit.
#include <algorithm>
#include <cstdio>

#include "agent/agent.hpp"
#include "os/stray_processes.hpp"
#include "rms/self.hpp"

namespace ductile::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto stream_patience = std::chrono::seconds(10);
constexpr auto goodbye_limit = std::chrono::seconds(5);
constexpr int stray_looks = 100;
constexpr auto between_looks = std::chrono::milliseconds(10);

}  // namespace

void Agent::end_all(const std::string& why, int code) {
    if (ending_ || finishing_) return;
    ending_ = true;
    code_ = code;
    log_("ending all: " + why);
    if (code != 0)
        std::fprintf(stderr, "ductile agent on %s: ending what runs here: %s\n",
                     rms::host_name().c_str(), why.c_str());
    if (code != 0 && is_orphaned() && peers_.is_deputy()) peers_.dismiss(why);
    if (broker_.state() != BrokerState::connected) output_.divert(output_path());
    groups_.kill_all();
    consider();
}

Situation Agent::situation() const {
    const bool stuck = welcome_ && welcome_->spawn_shuts_others_out && groups_.spawn();
    // Newcomers are not monitored by peers. They end on their own, because killing their daemon
    // would take down their parents' launcher.
    return {broker_.state(), peers_.complete() || groups_.are_only_newcomers(),
            groups_.have_failed() || peer_failed_, stuck};
}

// Whatever has changed: is it time to end?
void Agent::consider() {
    if (finishing_) return;
    if (is_orphaned() && groups_.have_failed() && last_failure_) peers_.say_failed(*last_failure_);
    watch_orphan();
    if (!groups_.all_ended()) return;
    bool over = ending_ || finish_asked_;
    if (!over && broker_.state() == BrokerState::gone && !groups_.have_failed() && !peer_failed_) {
        // The deputy stays until all have ended, so that nobody misses it.
        peers_.say_ended();
        over = groups_.had_none() || !peers_.knows_deputy() || peers_.others_ended() ||
               (!peers_.is_deputy() && peers_.complete());
    }
    if (!over) return;
    if (output_.finished()) return finish();
    if (std::exchange(awaiting_output_, true)) return;
    await_output();
}

// A slow reader is waited for; a stream connection that does not come about is not.
void Agent::await_output() {
    finish_timer_.expires_after(stream_patience);
    finish_timer_.async_wait([this](const asio::error_code& error) {
        if (error) return;
        if (!output_.attached()) output_.divert(output_path());
        consider();
        if (!finishing_) await_output();
    });
}

void Agent::watch_orphan() {
    orphan_.update(situation(), Clock::now());
    const auto deadline = orphan_.deadline();
    if (!deadline || ending_) {
        orphan_timer_.cancel();
        return;
    }
    orphan_timer_.expires_at(*deadline);
    orphan_timer_.async_wait([this](const asio::error_code& error) {
        if (error || finishing_) return;
        const auto still = orphan_.deadline();
        if (!still || *still > Clock::now()) return watch_orphan();
        end_all(orphan_.why() + " (--orphan-limit)", 1);
    });
}

void Agent::finish() {
    finishing_ = true;
    log_("nothing of the job is left here");
    orphan_timer_.cancel();
    end_strays(stray_looks);
}

// What is killed may have started another just before.
void Agent::end_strays(int looks) {
    os::ProcessSelector all;
    all.mark = "DUCTILE_AGENT=" + context_.self.marker;
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
    server_.close();
    if (peers_.is_deputy() && is_orphaned() && code_ == 0) peers_.dismiss("");
    peers_.close();
    finish_timer_.expires_after(goodbye_limit);
    finish_timer_.async_wait([this](const asio::error_code& error) {
        if (!error) io_.stop();
    });
    stream_.finish([this] { broker_.finish([this] { io_.stop(); }); });
}

}  // namespace ductile::agent
