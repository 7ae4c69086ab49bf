// What has happened to the job: event records, resizes, the program's pace, and what these have
// taught of costs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "broker/event_log.hpp"
#include "broker/open_resize.hpp"
#include "plan/cost_model.hpp"

namespace ductile::broker {

/// Of a resize that was undone, for who has asked for it.
std::string rolled_back_text(int ranks, const std::string& why);

class JobHistory {
  public:
    /// `costs`: as known before. `host_name`: of a host of the job.
    JobHistory(const std::string& events_file, bool continued, plan::CostModel costs,
               std::function<std::string(core::HostIndex)> host_name);

    void event(const char* name, nlohmann::json fields) { events_.record(name, std::move(fields)); }
    /// Of a resize that is over; for the journal, too.
    nlohmann::json resize(const OpenResize& resize, bool committed, const std::string& why);
    /// By which a resize's strategy is chosen.
    [[nodiscard]] const plan::CostModel& costs() const { return costs_; }
    /// What has become of this resize, or of a request that began as it; nothing when it is not
    /// known.
    [[nodiscard]] std::optional<wire::Reply> outcome_of(core::TransactionId number) const;
    /// Of a broker before this one.
    void restore(nlohmann::json record) { resizes_.push_back(std::move(record)); }
    [[nodiscard]] const nlohmann::json& resizes() const { return resizes_; }

    /// Resize points that the program has entered by now.
    void pace(std::int64_t count, double clock_s, int ranks);
    [[nodiscard]] std::optional<std::int64_t> points() const { return points_; }
    /// Seconds between two points lately; 0: not known yet.
    [[nodiscard]] double point_s() const { return point_s_; }
    /// Since the last point, to half a second; nothing before the first news of it.
    [[nodiscard]] std::optional<double> seconds_since_point() const;
    /// Since the last resize that was committed; nothing when there was none.
    [[nodiscard]] std::optional<double> seconds_since_resize() const;
    [[nodiscard]] std::optional<std::int64_t> points_since_resize() const;
    [[nodiscard]] double seconds() const;

    static constexpr int kept_resizes = 256;  ///< for `status`

  private:
    EventLog events_;
    plan::CostModel costs_;
    std::function<std::string(core::HostIndex)> host_name_;
    nlohmann::json resizes_ = nlohmann::json::array();
    std::optional<std::int64_t> points_;
    Clock::time_point counted_at_;  ///< when the present count was first heard
    double point_s_ = 0;
    std::int64_t last_resize_point_ = 0;
    std::optional<Clock::time_point> last_resize_;
    Clock::time_point started_ = Clock::now();
};

}  // namespace ductile::broker
