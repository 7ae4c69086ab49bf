#include "broker/point_costs.hpp"

namespace ductile::broker {

void PointCosts::pace(std::int64_t count, double now_s) {
    if (!began_) {
        began_ = Pace{count, now_s};
        drawn_.clear();
        return;
    }
    const auto points = count - began_->count;
    const double seconds = now_s - began_->now_s;
    if (points < fewest_points || seconds < shortest_s) return;
    point_s_ = seconds / static_cast<double>(points);
    for (const auto& [host, reports] : drawn_) watts_[host] = reports.watts / reports.number;
    if (seconds > longest_s) began_.reset();
}

void PointCosts::drawn(core::HostIndex host, double watts) {
    reasons_.erase(host);
    if (reported_.insert(host).second) return;
    auto& reports = drawn_[host];
    reports.watts += watts;
    ++reports.number;
}

void PointCosts::forget() {
    began_.reset();
    point_s_ = 0;
    reported_.clear();
    drawn_.clear();
    watts_.clear();
    reasons_.clear();
}

std::optional<policy::PointCost> PointCosts::of(const std::vector<core::HostIndex>& hosts) const {
    if (point_s_ == 0) return std::nullopt;
    double watts = 0;
    for (const auto host : hosts) {
        const auto measured = watts_.find(host);
        if (fixed_watts_ > 0)
            watts += fixed_watts_;
        else if (measured != watts_.end())
            watts += measured->second;
        else
            return std::nullopt;
    }
    return policy::PointCost{point_s_, watts * point_s_};
}

std::optional<PointCosts::Gap> PointCosts::gap(const std::vector<core::HostIndex>& hosts) const {
    if (fixed_watts_ > 0) return std::nullopt;
    for (const auto host : hosts)
        if (const auto why = reasons_.find(host); why != reasons_.end())
            return Gap{host, why->second};
    for (const auto host : hosts)
        if (!reported_.contains(host)) return Gap{host, "it has not been reported"};
    return std::nullopt;
}

}  // namespace ductile::broker
