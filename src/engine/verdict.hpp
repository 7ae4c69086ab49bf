// What rank 0 tells parked ranks after the members have voted on their return.
#pragma once

#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

struct Verdict {
    core::TransactionId transaction;
    int members = 0;              ///< the first `members` of `all` are the members
    std::vector<core::Rank> all;  ///< as ranks of BeforeParking::comm; empty: stay parked
};

void send_verdict(const mpi::Comm& comm, const Verdict& verdict, core::Rank to);
/// Nothing if no verdict has come.
std::optional<Verdict> take_verdict(const mpi::Comm& comm);

}  // namespace ductile::engine
