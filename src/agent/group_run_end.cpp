// How a group ends: killed, or looked after when its ranks, or its launcher run, have ended.
#include <algorithm>
#include <csignal>

#include "agent/group_run.hpp"

namespace ductile::agent {

namespace {

constexpr auto grace = std::chrono::milliseconds(500);
constexpr auto between_looks = std::chrono::milliseconds(50);
constexpr auto between_kills = std::chrono::milliseconds(10);

}  // namespace

void GroupRun::kill_after(std::chrono::duration<double> delay) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(delay);
    if (kill_timer_.expiry() > Clock::now() && kill_timer_.expiry() < until) return;
    kill_timer_.expires_at(until);
    kill_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = weak.lock();
        if (!error && self) self->on_kill_due();
    });
}

void GroupRun::ranks_leave(const core::RankRange& range, std::chrono::duration<double> within) {
    const auto before = Clock::now() + std::chrono::duration_cast<Clock::duration>(within);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        auto& mine = slots_[i];
        if (!range.holds({id(), rank_at(i)}) || mine.dismissed) continue;
        mine.dismissed = true;
        mine.leave_before = before;
        if (!mine.ended) on_rank_leaves(rank_at(i));
    }
    watch_leavers();
}

void GroupRun::watch_leavers() {
    std::optional<Clock::time_point> next;
    for (const auto& mine : slots_)
        if (mine.leave_before && !mine.ended)
            next = next ? std::min(*next, *mine.leave_before) : *mine.leave_before;
    if (!next) return;
    leave_timer_.expires_at(*next);
    leave_timer_.async_wait([weak = weak_from_this()](const asio::error_code& error) {
        const auto self = weak.lock();
        if (!error && self && !self->ended_) self->on_leave_due();
    });
}

// Where all ranks have left, what they have started goes, too.
void GroupRun::on_leave_due() {
    const auto now = Clock::now();
    if (std::ranges::all_of(slots_, [now](const Slot& mine) {
            return mine.ended || (mine.dismissed && mine.leave_before.value_or(now) <= now);
        }))
        return on_kill_due();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        auto& mine = slots_[i];
        if (!mine.leave_before || mine.ended || *mine.leave_before > now) continue;
        mine.leave_before.reset();
        around_.log("rank " + std::to_string(rank_at(i).value) + " of group " +
                    std::to_string(id().value) + " has left, but not ended: killed");
        signal_rank(rank_at(i), SIGKILL);
    }
    watch_leavers();
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
        stale_files_.note_all(processes);
    }
    kill_processes(processes);
}

void GroupRun::give_grace() {
    grace_end_ = Clock::now() + grace;
}

void GroupRun::look() {
    if (ended_ || !may_be_over()) return;
    auto whose = all_of_it();
    whose.unmarked_orphans = around_.alone(id());
    whose.known = around_.known_children();
    complete(whose);
    auto left = find_processes(whose);
    const auto mine = children();
    std::erase_if(left, [&mine](pid_t pid) { return mine.contains(pid); });
    if (left.empty() && !awaits_rank()) return finish();
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
    unjoined_timer_.cancel();
    leave_timer_.cancel();
    let_go();
    stale_files_.remove();
    around_.output.group_gone(id());
    around_.tell(last_word());
    around_.on_ended(id());
}

}  // namespace ductile::agent
