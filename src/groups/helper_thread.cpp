#include "groups/helper_thread.hpp"

#include <utility>

namespace ductile::groups {

void HelperThread::start(Look look) {
    thread_ = std::thread([this, look = std::move(look)] { help(look); });
}

void HelperThread::wake() {
    {
        const std::lock_guard lock(mutex_);
        is_woken_ = true;
    }
    changed_.notify_one();
}

void HelperThread::stop() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void HelperThread::help(const Look& look) {
    HelperPause pause;
    while (const auto looked = look())
        if (!sleep(pause, *looked)) return;
}

bool HelperThread::sleep(HelperPause& pause, const Looked& looked) {
    const auto longest = pause.after(looked);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, longest, [this] { return is_woken_ || is_stopped_; });
    if (std::exchange(is_woken_, false)) pause.woken();
    return !is_stopped_;
}

}  // namespace ductile::groups
