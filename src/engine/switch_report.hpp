// The report of a source about a switch, with its own times.
#pragma once

#include <cstdint>
#include <string>

#include "core/ids.hpp"
#include "plan/methods.hpp"

namespace ductile::engine {

struct SwitchReport {
    core::TransactionId transaction;
    bool committed = false;
    bool degraded = false;
    bool unfinished = false;  ///< rolled back after the join began: the rank will not finalise MPI
    bool leader = false;
    std::string why;
    double stall_s = 0, vote_s = 0, join_s = 0, redistribute_s = 0, commit_s = 0, rebuild_s = 0;
    std::int64_t bytes_sent = 0, bytes_sent_ahead = 0, peak_bytes = 0;
    plan::Executor redistribution = plan::Executor::p2p;  ///< the executor that was used
};

}  // namespace ductile::engine
