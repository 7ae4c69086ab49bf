// What the job uses from one resize point to the next: time, and the energy of its hosts. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "policy/views.hpp"

namespace ductile::broker {

/// A window begins at the first report of points since the last resize. It is over when it has
/// lasted `shortest_s` and `fewest_points`, and goes on for up to `longest_s`. What it has measured
/// is known until a resize, or until the next window is over.
class PointCosts {
  public:
    static constexpr double shortest_s = 2;
    static constexpr std::int64_t fewest_points = 3;
    static constexpr double longest_s = 30;

    /// `watts`: the power of each host, if it is not measured; otherwise 0.
    explicit PointCosts(double watts = 0) : fixed_watts_(watts) {}

    /// `count`: the number of resize points that the program has entered.
    void pace(std::int64_t count, double now_s);
    /// This host has drawn so much power, on average, since it last reported. The first report of a
    /// host after a resize does not count: it covers a time before the resize, too.
    void drawn(core::HostIndex host, double watts);
    /// The power of this host is not known.
    void not_drawn(core::HostIndex host, const std::string& why) { reasons_[host] = why; }
    /// The ranks of the job change.
    void forget();

    /// The energy is that of the hosts on which the job has ranks. None while no window is over, or
    /// while one of the hosts has not reported.
    [[nodiscard]] std::optional<policy::PointCost> of(
        const std::vector<core::HostIndex>& hosts) const;
    struct Gap {
        core::HostIndex host;
        std::string why;
    };
    /// One of these hosts whose power is not known.
    [[nodiscard]] std::optional<Gap> gap(const std::vector<core::HostIndex>& hosts) const;

  private:
    struct Reports {
        double watts = 0;  ///< the sum
        int number = 0;
    };
    struct Pace {
        std::int64_t count = 0;
        double now_s = 0;
    };

    double fixed_watts_;
    std::optional<Pace> began_;
    double point_s_ = 0;                  ///< of the last window that is over; 0: none is
    std::set<core::HostIndex> reported_;  ///< since the last resize
    std::map<core::HostIndex, Reports> drawn_;
    std::map<core::HostIndex, double> watts_;  ///< of the last window in which the host reported
    std::map<core::HostIndex, std::string> reasons_;
};

}  // namespace ductile::broker
