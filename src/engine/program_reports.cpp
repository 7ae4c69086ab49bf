#include "engine/program_reports.hpp"

#include <algorithm>

namespace ductile::engine {

void ProgramReports::restart() {
    began_s_ = now_();
    in_mpi_s_ = mpi_seconds_();
}

void ProgramReports::report_if_long() {
    const double elapsed_s = now_() - began_s_;
    if (elapsed_s < shortest_s) return;
    const double in_mpi_s = std::clamp(mpi_seconds_() - in_mpi_s_, 0.0, elapsed_s);
    link_.send(wire::UsefulTime{elapsed_s, elapsed_s - in_mpi_s});
    restart();
}

}  // namespace ductile::engine
