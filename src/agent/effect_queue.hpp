// The effects of a state machine, carried out in order. Pure.
#pragma once

#include <deque>
#include <utility>
#include <vector>

namespace ductile::agent {

/// If an effect causes an event, the effects of this event come after those that wait already.
template <class Effect>
class EffectQueue {
  public:
    /// Carries the effects out. If this queue is carrying out an effect already, the new effects
    /// wait for their turn. If an effect throws, the effects after it wait for the next call.
    template <class CarryOut>
    void add(const std::vector<Effect>& effects, const CarryOut& carry_out) {
        waiting_.insert(waiting_.end(), effects.begin(), effects.end());
        if (std::exchange(is_busy_, true)) return;
        const Idle when_done(is_busy_);
        while (!waiting_.empty()) {
            const auto next = std::move(waiting_.front());
            waiting_.pop_front();
            carry_out(next);
        }
    }

  private:
    class Idle {
      public:
        explicit Idle(bool& is_busy) : is_busy_(is_busy) {}
        ~Idle() { is_busy_ = false; }
        Idle(const Idle&) = delete;
        Idle& operator=(const Idle&) = delete;

      private:
        bool& is_busy_;
    };
    std::deque<Effect> waiting_;
    bool is_busy_ = false;
};

}  // namespace ductile::agent
