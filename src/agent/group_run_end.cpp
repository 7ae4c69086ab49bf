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
    let_go();
    litter_.remove();
    around_.output.group_gone(id());
    if (what_.input) around_.input.finish();
    around_.tell(last_word());
    around_.on_ended(id());
}

}  // namespace ductile::agent
