#include "broker/resize_slot.hpp"

#include <utility>

#include "core/contract.hpp"

namespace ductile::broker {

namespace {

/// Sets a flag while this object lives. An exception that leaves the scope clears the flag, too.
class Raised {
  public:
    explicit Raised(bool& flag) : flag_(flag) { flag_ = true; }
    ~Raised() { flag_ = false; }
    Raised(const Raised&) = delete;
    Raised& operator=(const Raised&) = delete;

  private:
    bool& flag_;
};

}  // namespace

void ResizeSlot::open(resize::ResizeOperation begun) {
    open_.emplace(io_, std::move(begun), [this](resize::Timer timer) {
        tell(resize::TimerFired{timer});
        on_time_();
    });
}

void ResizeSlot::tell(resize::Event event) {
    if (!open_) return;
    open_->events.push_back(std::move(event));
    if (is_telling_) return;
    const Raised raised(is_telling_);
    while (open_ && !open_->events.empty()) {
        const auto next = std::move(open_->events.front());
        open_->events.pop_front();
        resize::Effects effects;
        open_->operation.on(next, effects);
        const auto id = open_->operation.plan().id;
        for (const auto& effect : effects) {
            carry_out_(effect);
            if (!is(id)) return;
        }
    }
}

void ResizeSlot::tell_first(resize::Event event) {
    DUCTILE_EXPECT(open_.has_value() && is_telling_);
    open_->events.push_front(std::move(event));
}

OpenResize ResizeSlot::take() {
    DUCTILE_EXPECT(open_.has_value());
    auto taken = std::move(*open_);
    open_.reset();
    return taken;
}

}  // namespace ductile::broker
