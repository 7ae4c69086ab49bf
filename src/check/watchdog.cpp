#include "check/watchdog.hpp"

#include <algorithm>
#include <thread>

#include "check/notify_user.hpp"

namespace ductile::check {

namespace {

using namespace std::chrono_literals;

constexpr double heard_within = 5;

double seconds_now() {
    return std::chrono::duration<double>(Activity::Clock::now().time_since_epoch()).count();
}

}  // namespace

Watchdog::Watchdog(const Mode& mode, const Activity& activity, const JobView& view,
                   SideChannel& channel)
    : mode_(mode),
      activity_(activity),
      view_(view),
      channel_(channel),
      query_(std::chrono::duration<double>(mode.patience).count()) {}

void Watchdog::run() {
    const auto pause = std::clamp<std::chrono::milliseconds>(mode_.patience / 20, 10ms, 250ms);
    for (;; std::this_thread::sleep_for(pause)) look();
}

RankState Watchdog::state(const Activity::Entry& entry) const {
    auto state = view_.state();
    state.call = entry.call;
    state.about = entry.about;
    state.waits = entry.waits;
    state.collective = entry.waits ? entry.collective : 0;
    if (entry.number != 0)
        state.seconds =
            std::chrono::duration_cast<std::chrono::seconds>(Activity::Clock::now() - entry.since)
                .count();
    return state;
}

void Watchdog::look() {
    channel_.locked([this] {
        const auto entry = activity_.look();
        const auto mine = state(entry);
        const double now = seconds_now();
        if (channel_.is_open()) {
            if (calls_.begin(channel_.times_opened())) query_.forget();
            read_messages(mine, now);
            tell_calls(mine, now);
            conclude(mine, now);
        }
        const bool is_long = entry.waits && Activity::Clock::now() - entry.since >= mode_.patience;
        if (is_long && entry.number != reported_) {
            reported_ = entry.number;
            reported_at_ = now;
            report(mine, now);
        }
        if (is_long && !heard_ && (!channel_.is_open() || now - reported_at_ > heard_within)) {
            heard_ = true;
            notify_user(
                {"rank " + std::to_string(mine.rank) + " waits " + where(mine) + " (for " +
                 std::to_string(mine.seconds) +
                 " s). Where other ranks are is not known, because rank 0 does not answer"});
        }
    });
}

void Watchdog::report(const RankState& mine, double now) {
    heard_ = channel_.is_open() && channel_.rank() == 0;
    if (!channel_.is_open()) return;
    if (!heard_) return channel_.send(0, {Word::report, mine});
    begin_query(mine, now);
}

void Watchdog::begin_query(const RankState& waiting, double now) {
    if (!query_.on_report(waiting, now)) return;
    for (int rank = 1; rank < channel_.size(); ++rank)
        channel_.send(rank, {Word::question, waiting});
}

void Watchdog::read_messages(const RankState& mine, double now) {
    while (const auto received = channel_.receive()) {
        const auto& [from, message] = *received;
        switch (message.word) {
            case Word::report:
                channel_.send(from, {Word::noted, mine});
                begin_query(message.state, now);
                break;
            case Word::question:
                channel_.send(from, {Word::answer, mine});
                break;
            case Word::answer:
                query_.on_answer(message.state);
                break;
            case Word::noted:
                heard_ = true;
                break;
            case Word::calls:
                calls_.add(message.state);
                break;
        }
    }
}

void Watchdog::tell_calls(const RankState& mine, double now) {
    if (!calls_.is_due(mine, now)) return;
    if (channel_.rank() == 0)
        calls_.add(mine);
    else
        channel_.send(0, {Word::calls, mine});
}

// Only on rank 0, which gets all reports.
void Watchdog::conclude(const RankState& mine, double now) {
    if (channel_.rank() != 0) return;
    if (const auto difference = calls_.take_difference(); !difference.empty()) {
        notify_user(difference);
        if (mode_.ends) end_program();
    }
    query_.on_answer(mine);
    const auto result = query_.take(channel_.size(), now);
    if (!result) return;
    const auto diagnosis = diagnose(result->asked, result->states, channel_.size());
    notify_user(diagnosis.lines);
    if (diagnosis.differ && mode_.ends) end_program();
}

}  // namespace ductile::check
