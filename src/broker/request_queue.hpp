// Requests for a resize that wait for their turn, and when a degraded job asks for one itself.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "broker/open_resize.hpp"
#include "wire/request_messages.hpp"

namespace ductile::broker {

class RequestQueue {
  public:
    using Request = NextStep;

    explicit RequestQueue(double renew_after_s) : renew_after_s_(renew_after_s) {}

    /// False when too many wait already.
    [[nodiscard]] bool push(Request request);
    /// Before all others: one that replaces them, or continues what was begun.
    void push_front(Request request) { waiting_.push_front(std::move(request)); }
    [[nodiscard]] std::optional<Request> pop();
    /// The first one, if it continues a resize that was made already.
    [[nodiscard]] NextStep* next_step() {
        const bool none = waiting_.empty() || waiting_.front().continues.value == 0;
        return none ? nullptr : &waiting_.front();
    }
    [[nodiscard]] const NextStep* next_step() const {
        return const_cast<RequestQueue*>(this)->next_step();
    }
    [[nodiscard]] std::size_t size() const { return waiting_.size(); }
    [[nodiscard]] bool is_full() const { return waiting_.size() >= most; }
    void answer_all(wire::ReplyKind kind, const std::string& text);

    /// Fresh processes can grow again, and degraded ones have one attempt to become such: it is
    /// made when nothing else was due for a while. Call it now and then; true: ask for it.
    [[nodiscard]] bool renewal_is_due(bool quiet, bool degraded, Clock::time_point now);

  private:
    static constexpr std::size_t most = 64;

    std::deque<Request> waiting_;
    double renew_after_s_;
    Clock::time_point quiet_since_ = Clock::now();
    bool asks_itself_ = true;  ///< not again when that was refused
};

}  // namespace ductile::broker
