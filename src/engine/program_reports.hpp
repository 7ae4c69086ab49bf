// What a member reports to the broker regularly: the pace of the program, and how much of its time
// it spends outside MPI.
#pragma once

#include <functional>
#include <utility>

#include "engine/agent_channel.hpp"

namespace ductile::engine {

class ProgramReports {
  public:
    /// A report covers a window of time. A window lasts at least this long.
    static constexpr double shortest_s = 1;

    /// `now`: seconds on this host's monotonic clock. `mpi_seconds`: the seconds that the calling
    /// thread has spent in MPI. Null: this is not measured, and nothing is reported.
    ProgramReports(AgentChannel& link, std::function<double()> now, double (*mpi_seconds)())
        : link_(link), now_(std::move(now)), mpi_seconds_(mpi_seconds) {}

    /// Any thread may call this. `points`: the number of resize points that the rank has entered.
    void send_pace(std::int64_t points) { link_.send(wire::Pace{points, now_()}); }

    // ---- the program's thread: the time in MPI is that of the calling thread ----
    /// A window begins. Nothing of the window before is reported.
    void begin() {
        if (mpi_seconds_ != nullptr) [[unlikely]]
            restart();
    }
    /// At a resize point: if the window is long enough, reports it and begins the next one.
    void pass_point() {
        if (mpi_seconds_ != nullptr) [[unlikely]]
            report_if_long();
    }

    /// A stop at a resize point, while this object lives. The window before is not reported. The
    /// next one begins when this object ends.
    class Interruption {
      public:
        explicit Interruption(ProgramReports& reports) : reports_(reports) {}
        Interruption(const Interruption&) = delete;
        Interruption& operator=(const Interruption&) = delete;
        ~Interruption() { reports_.begin(); }

      private:
        ProgramReports& reports_;
    };

  private:
    void restart();
    void report_if_long();

    AgentChannel& link_;
    const std::function<double()> now_;
    double (*const mpi_seconds_)();
    double began_s_ = 0;
    double in_mpi_s_ = 0;  ///< when the window began
};

}  // namespace ductile::engine
