// Notices when this rank waits too long, and reports the states of all ranks.
#pragma once

#include <string>
#include <vector>

#include "check/activity.hpp"
#include "check/call_reports.hpp"
#include "check/diagnosis.hpp"
#include "check/job_view.hpp"
#include "check/mode.hpp"
#include "check/side_channel.hpp"
#include "check/state_query.hpp"

namespace ductile::check {

class Watchdog {
  public:
    Watchdog(const Mode& mode, const Activity& activity, const JobView& view, SideChannel& channel);

    /// Runs for ever, in a thread of its own.
    [[noreturn]] void run();

  private:
    void look();
    void read_messages(const RankState& mine, double now);
    void conclude(const RankState& mine, double now);
    void report(const RankState& mine, double now);
    void tell_calls(const RankState& mine, double now);
    void begin_query(const RankState& waiting, double now);
    [[nodiscard]] RankState state(const Activity::Entry& entry) const;

    const Mode mode_;
    const Activity& activity_;
    const JobView& view_;
    SideChannel& channel_;
    StateQuery query_;
    CallReports calls_;
    std::uint64_t reported_ = 0;  ///< number of the call that was reported
    double reported_at_ = 0;
    bool heard_ = true;  ///< rank 0 has confirmed the report, or this rank has printed it
};

}  // namespace ductile::check
