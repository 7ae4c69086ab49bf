// What rank 0 tells parked ranks when the members have voted on their coming back.
#pragma once

#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

struct Verdict {
    core::TransactionId transaction;
    int members = 0;              ///< the first ones of `all`
    std::vector<core::Rank> all;  ///< as ranks of BeforeParking::comm; none: stay parked
};

void send_verdict(const mpi::Comm& comm, const Verdict& verdict, core::Rank to);
/// Nothing when none has come.
std::optional<Verdict> take_verdict(const mpi::Comm& comm);

}  // namespace ductile::engine
