// The history of the job: event records, resizes, the pace of the program, its efficiency and its
// energy, and the costs learned from them.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "broker/event_log.hpp"
#include "broker/open_resize.hpp"
#include "broker/point_costs.hpp"
#include "broker/rank_efficiency.hpp"
#include "core/allocation.hpp"
#include "plan/cost_model.hpp"

namespace ductile::broker {

/// The text for the askers of a resize that was rolled back.
std::string rolled_back_text(int ranks, const std::string& why);

class JobHistory {
  public:
    /// `costs`: the costs that are known before the job. `watts`: see PointCosts.
    JobHistory(const std::string& events_file, bool continued, plan::CostModel costs,
               double watts = 0)
        : events_(events_file, continued), costs_(std::move(costs)), point_costs_(watts) {}

    void event(const char* name, const EventFields& fields) { events_.record(name, fields); }
    /// Writes the last event record: the job has ended.
    void end(int code);
    /// Records a resize that is over. Returns the record, for the journal.
    nlohmann::json resize(const OpenResize& resize, bool committed, const std::string& why,
                          const core::Allocation& hosts);
    /// The costs by which the strategy of a resize is chosen.
    [[nodiscard]] const plan::CostModel& costs() const { return costs_; }
    /// The outcome of this resize, or of the request that began with this resize; none if it is not
    /// known.
    [[nodiscard]] std::optional<Reply> outcome_of(core::TransactionId number) const;
    /// Adds a record of a former broker.
    void restore(nlohmann::json record) { resizes_.push_back(std::move(record)); }
    [[nodiscard]] const nlohmann::json& resizes() const { return resizes_; }

    /// `count`: the number of resize points that the program has entered.
    void pace(std::int64_t count, double clock_s, int ranks);
    [[nodiscard]] std::optional<std::int64_t> points() const { return points_; }
    /// The recent time between two points, in seconds; 0: not known yet.
    [[nodiscard]] double point_s() const { return point_s_; }
    /// The time since the last point, to half a second; none before the first report.
    [[nodiscard]] std::optional<double> seconds_since_point() const;
    /// The time since the last resize that was committed under this broker; none if there was none.
    /// A resize with a next step does not count.
    [[nodiscard]] std::optional<double> seconds_since_resize() const;
    [[nodiscard]] std::optional<std::int64_t> points_since_resize() const;
    [[nodiscard]] double seconds() const;
    /// Forgets all windows at a committed resize.
    [[nodiscard]] RankEfficiency& efficiency() { return efficiency_; }
    [[nodiscard]] const RankEfficiency& efficiency() const { return efficiency_; }

    /// Like efficiency().
    [[nodiscard]] PointCosts& point_costs() { return point_costs_; }
    [[nodiscard]] const PointCosts& point_costs() const { return point_costs_; }

    static constexpr int kept_resizes = 256;  ///< for `status`

  private:
    EventLog events_;
    plan::CostModel costs_;
    nlohmann::json resizes_ = nlohmann::json::array();
    std::optional<std::int64_t> points_;
    Clock::time_point counted_at_;  ///< when the present count was first reported
    double point_s_ = 0;
    RankEfficiency efficiency_;
    PointCosts point_costs_;
    std::int64_t last_resize_point_ = 0;
    std::optional<Clock::time_point> last_resize_;
    Clock::time_point started_ = Clock::now();
};

}  // namespace ductile::broker
