// How a group ends: killed, or looked after when its launcher run has ended.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "agent/group_run.hpp"

namespace ductile::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto grace = std::chrono::milliseconds(500);
constexpr auto between_looks = std::chrono::milliseconds(50);
constexpr auto between_kills = std::chrono::milliseconds(10);

}  // namespace

void GroupRun::Slot::signal(int number) const {
    if (process) ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}

void GroupRun::kill_after(std::chrono::duration<double> delay) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(delay);
    if (kill_timer_.expiry() > Clock::now() && kill_timer_.expiry() < until) return;
    kill_timer_.expires_at(until);
    kill_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = weak.lock();
        if (error || !self) return;
        if (self->is_needed() || self->proxy_stays() || (self->what_.spawned && !self->refusing_))
            self->kill_ranks();
        else
            self->kill();
    });
}

void GroupRun::end_as_told() {
    dismiss();
    if (what_.spawned || is_needed())
        kill_ranks();
    else
        kill();
}

void GroupRun::kill_ranks() {
    if (ended_ || killing_) return;
    refusing_ = true;
    around_.log("the ranks of group " + std::to_string(id().value) + " are killed");
    if (!all_noted()) litter_.note_all(find_processes(all_of_it()));
    for (const auto& mine : slots_) {
        if (mine.ended || !mine.starter) continue;
        if (mine.started)
            mine.signal(SIGKILL);
        else
            mine.starter->close("its rank is not wanted any more");
    }
    if (!launcher_ || (proxy_stays() && no_rank_left()))
        look();
    else if (!is_needed() && !proxy_stays())
        kill_after(launcher_patience);
}

void GroupRun::kill() {
    if (ended_ || killing_) return;
    killing_ = true;
    overdue_ = launcher_runs() && all_ranks_ended();
    around_.log("group " + std::to_string(id().value) + " is killed");
    end(find_processes(all_of_it()));
    if (launcher_) launcher_->kill();
    look();
}

bool GroupRun::all_noted() const {
    return std::ranges::all_of(slots_, [](const Slot& mine) { return mine.noted || mine.ended; });
}

Belonging GroupRun::all_of_it() const {
    Belonging whose;
    whose.agent = around_.marker;
    whose.group = id();
    return whose;
}

// What is just being started is stopped first: it could make a file after it was looked at.
void GroupRun::end(const std::vector<pid_t>& processes) {
    if (!all_noted()) {
        for (const pid_t pid : processes) ::kill(pid, SIGSTOP);
        litter_.note_all(processes);
    }
    kill_processes(processes);
}

void GroupRun::launcher_reaped(int status) {
    launcher_->reaped(status);
    if (ended_) return;
    grace_end_ = Clock::now() + grace;
    look();
}

// After mpiexec has ended, or the ranks of a proxy that stays: is anything of the group left? It
// has a grace, then it is killed.
void GroupRun::look() {
    const bool without_proxy = proxy_stays() && no_rank_left();
    if (ended_ || (launcher_runs() && !without_proxy)) return;
    auto whose = all_of_it();
    if (!launcher_runs()) whose.session = launcher_pid();
    whose.unmarked_orphans = around_.alone(id());
    whose.known = around_.known_children();
    auto left = find_processes(whose);
    if (launcher_runs()) std::erase(left, launcher_pid());
    const bool starters =
        std::ranges::any_of(slots_, [](const Slot& mine) { return mine.starter && !mine.ended; });
    if (left.empty() && !starters) return finish();
    if (!killing_ && Clock::now() < grace_end_) return look_after(between_looks);
    for (const pid_t pid : left)
        around_.log("process " + std::to_string(pid) + " was left behind: killed");
    end(left);
    look_after(between_kills);
}

void GroupRun::look_after(std::chrono::milliseconds delay) {
    look_timer_.expires_after(delay);
    look_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = weak.lock();
        if (!error && self) self->look();
    });
}

void GroupRun::finish() {
    ended_ = true;
    look_timer_.cancel();
    kill_timer_.cancel();
    start_timer_.cancel();
    remote_.release();
    litter_.remove();
    around_.output.group_gone(id());
    if (what_.input) around_.input.finish();
    wire::RunEnded end;
    end.group = id();
    if (overdue_) {
        end.text = "mpiexec did not end after its ranks, and was killed";
    } else if (late_) {
        end.code = 1;
        end.text = "its ranks here did not start within 60 s";
        if (launcher_ && !launcher_->text().empty()) end.text += ": " + launcher_->text();
    } else if (launcher_ && !launcher_runs()) {
        end.code = launcher_->code();
        end.signal = launcher_->signal();
        end.text = launcher_->text();
    }
    around_.tell(end);
    around_.on_ended(id());
}

bool GroupRun::orderly() const {
    return ended_ && !has_failed();
}

}  // namespace ductile::agent
