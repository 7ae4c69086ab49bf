// Resize requests that wait for their turn or for hosts, and the renewal that a degraded job
// requests itself.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "broker/missing_hosts.hpp"
#include "broker/open_resize.hpp"

namespace ductile::broker {

/// A request that waits for hosts.
struct AwaitingHosts {
    NextStep asked;
    core::TransactionId id;  ///< the same as HostNeed::wanted_by
    int hosts = 0;           ///< the number of requested hosts
    Aim aim = Aim::largest;
};

class RequestQueue {
  public:
    using Request = NextStep;

    explicit RequestQueue(double renew_after_s) : renew_after_s_(renew_after_s) {}

    /// Returns false if too many requests wait already.
    [[nodiscard]] bool push(Request request);
    /// Adds a request before all others: one that replaces a resize, or that continues a request.
    void push_front(Request request) { waiting_.push_front(std::move(request)); }
    [[nodiscard]] std::optional<Request> pop();
    /// The requests that wait for their turn, in order.
    [[nodiscard]] const std::deque<Request>& waiting() const { return waiting_; }
    [[nodiscard]] bool is_empty() const { return waiting_.empty() && !awaiting_; }
    /// The number of requests that wait, for their turn or for hosts.
    [[nodiscard]] std::size_t size() const { return waiting_.size() + (awaiting_ ? 1 : 0); }
    [[nodiscard]] bool is_full() const { return waiting_.size() >= most; }

    /// At most one request waits for hosts. The other requests wait until it is taken up.
    void await(AwaitingHosts request) { awaiting_ = std::move(request); }
    [[nodiscard]] const std::optional<AwaitingHosts>& awaiting() const { return awaiting_; }
    [[nodiscard]] std::optional<AwaitingHosts> take_awaiting() {
        return std::exchange(awaiting_, std::nullopt);
    }
    /// The rest of the request that began with this resize; null if there is none.
    [[nodiscard]] NextStep* begun_as(core::TransactionId resize);
    /// Whether the agent on this host must stay for the next request, although it has no ranks.
    [[nodiscard]] bool keeps(core::HostIndex host) const;

    /// A renewal replaces degraded processes, so that the job can grow again. A degraded job makes
    /// one attempt, after renew_after_s without another resize. `quiet`: a resize could begin now.
    /// Call this after each event, and at renewal_at(). If it returns true, request the renewal.
    [[nodiscard]] bool renewal_is_due(bool quiet, bool degraded, Clock::time_point now);
    /// When the renewal is due if nothing happens until then.
    [[nodiscard]] std::optional<Clock::time_point> renewal_at(bool quiet, bool degraded) const;

  private:
    static constexpr std::size_t most = 64;

    std::deque<Request> waiting_;
    std::optional<AwaitingHosts> awaiting_;
    double renew_after_s_;
    Clock::time_point quiet_since_ = Clock::now();
    bool asks_itself_ = true;  ///< false after the one attempt, until the job is not degraded
};

}  // namespace ductile::broker
