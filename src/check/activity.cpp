#include "check/activity.hpp"

namespace ductile::check {

void Activity::enter(std::string_view call, std::string_view about, int collective) {
    const std::lock_guard lock(mutex_);
    threads_[std::this_thread::get_id()] = {call, about, collective, true, ++calls_, Clock::now()};
}

void Activity::leave() {
    const std::lock_guard lock(mutex_);
    const auto found = threads_.find(std::this_thread::get_id());
    if (found == threads_.end()) return;
    found->second.waits = false;
    found->second.since = Clock::now();
}

Activity::Entry Activity::look() const {
    const std::lock_guard lock(mutex_);
    Entry best;
    for (const auto& [thread, entry] : threads_) {
        const bool better = entry.waits ? !best.waits || entry.since < best.since
                                        : !best.waits && entry.since >= best.since;
        if (best.number == 0 || better) best = entry;
    }
    return best;
}

}  // namespace ductile::check
