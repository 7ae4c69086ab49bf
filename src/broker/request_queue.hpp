// Requests for a resize that wait for their turn, and when a degraded job asks for one itself.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "broker/missing_hosts.hpp"
#include "broker/open_resize.hpp"
#include "wire/request_messages.hpp"

namespace ductile::broker {

/// A request that waits for hosts which it needs.
struct AwaitingHosts {
    NextStep asked;
    core::TransactionId id;  ///< as HostNeed::wanted_by
    int hosts = 0;           ///< so many are asked for
    Aim aim = Aim::largest;
};

class RequestQueue {
  public:
    using Request = NextStep;

    explicit RequestQueue(double renew_after_s) : renew_after_s_(renew_after_s) {}

    /// False when too many wait already.
    [[nodiscard]] bool push(Request request);
    /// Before all others: one that replaces them, or continues what was begun.
    void push_front(Request request) { waiting_.push_front(std::move(request)); }
    [[nodiscard]] std::optional<Request> pop();
    /// For their turn, in their order.
    [[nodiscard]] const std::deque<Request>& waiting() const { return waiting_; }
    [[nodiscard]] bool is_empty() const { return waiting_.empty() && !awaiting_; }
    /// How many wait, for their turn or for hosts.
    [[nodiscard]] std::size_t size() const { return waiting_.size() + (awaiting_ ? 1 : 0); }
    [[nodiscard]] bool is_full() const { return waiting_.size() >= most; }

    /// Of all requests one at most waits for hosts; the others wait for it.
    void await(AwaitingHosts request) { awaiting_ = std::move(request); }
    [[nodiscard]] const std::optional<AwaitingHosts>& awaiting() const { return awaiting_; }
    [[nodiscard]] std::optional<AwaitingHosts> take_awaiting() {
        return std::exchange(awaiting_, std::nullopt);
    }
    /// The part of a request that was begun, and which has this number.
    [[nodiscard]] NextStep* begun_as(core::TransactionId resize);
    /// An agent without ranks is to stay there for the request that is next.
    [[nodiscard]] bool keeps(core::HostIndex host) const;

    /// Fresh processes can grow again, and degraded ones have one attempt to become such: it is
    /// made when nothing else was due for a while. Call it whenever something has happened, and at
    /// renewal_at(); true: ask for it.
    [[nodiscard]] bool renewal_is_due(bool quiet, bool degraded, Clock::time_point now);
    /// When it will be due if nothing happens until then.
    [[nodiscard]] std::optional<Clock::time_point> renewal_at(bool quiet, bool degraded) const;

  private:
    static constexpr std::size_t most = 64;

    std::deque<Request> waiting_;
    std::optional<AwaitingHosts> awaiting_;
    double renew_after_s_;
    Clock::time_point quiet_since_ = Clock::now();
    bool asks_itself_ = true;  ///< not again when that was refused
};

}  // namespace ductile::broker
