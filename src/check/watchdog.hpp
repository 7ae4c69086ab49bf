// Sees when this rank waits too long, and says where all ranks are.
#pragma once

#include <string>
#include <vector>

#include "check/activity.hpp"
#include "check/call_reports.hpp"
#include "check/diagnosis.hpp"
#include "check/job_view.hpp"
#include "check/mode.hpp"
#include "check/roundup.hpp"
#include "check/side_channel.hpp"

namespace ductile::check {

class Watchdog {
  public:
    Watchdog(const Mode& mode, const Activity& activity, const JobView& view, SideChannel& channel);

    /// For ever, in a thread of its own.
    [[noreturn]] void run();

  private:
    void look();
    void read_messages(const RankState& mine, double now);
    void conclude(const RankState& mine, double now);
    void report(const RankState& mine, double now);
    void tell_calls(const RankState& mine, double now);
    void begin_roundup(const RankState& waiting, double now);
    [[nodiscard]] RankState state(const Activity::Entry& entry) const;

    const Mode mode_;
    const Activity& activity_;
    const JobView& view_;
    SideChannel& channel_;
    Roundup roundup_;
    CallReports calls_;
    std::uint64_t reported_ = 0;  ///< number of the call that was
    double reported_at_ = 0;
    bool heard_ = true;  ///< rank 0 has noted it, or it has been said here
};

}  // namespace ductile::check
