#include "broker/request_queue.hpp"

#include <algorithm>

namespace ductile::broker {

bool RequestQueue::push(Request request) {
    if (is_full()) return false;
    waiting_.push_back(std::move(request));
    return true;
}

std::optional<RequestQueue::Request> RequestQueue::pop() {
    if (waiting_.empty()) return std::nullopt;
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
}

NextStep* RequestQueue::begun_as(core::TransactionId resize) {
    if (resize.value == 0) return nullptr;  // 0: the request has not begun
    if (awaiting_ && awaiting_->asked.continues == resize) return &awaiting_->asked;
    const auto step = std::ranges::find(waiting_, resize, &NextStep::continues);
    return step == waiting_.end() ? nullptr : &*step;
}

bool RequestQueue::keeps(core::HostIndex host) const {
    if (awaiting_) return awaiting_->asked.keeps.contains(host);
    return !waiting_.empty() && waiting_.front().keeps.contains(host);
}

bool RequestQueue::renewal_is_due(bool quiet, bool degraded, Clock::time_point now) {
    if (!quiet) quiet_since_ = now;
    if (!degraded) asks_itself_ = true;
    const auto at = renewal_at(quiet, degraded);
    if (!at || now < *at) return false;
    asks_itself_ = false;
    return true;
}

std::optional<Clock::time_point> RequestQueue::renewal_at(bool quiet, bool degraded) const {
    if (!quiet || !degraded || !asks_itself_) return std::nullopt;
    return quiet_since_ +
           std::chrono::ceil<Clock::duration>(std::chrono::duration<double>(renew_after_s_));
}

}  // namespace ductile::broker
