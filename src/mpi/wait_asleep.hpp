// Waiting without a core.
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace ductile::mpi {

/// Completes a request, asleep between looks (after a few looks in a row): where ranks share cores,
/// those that are late need them more. Costs up to 0.1 ms where they do not. `call` made the
/// request, for the error.
void wait_asleep(MPI_Request& request, const char* call);

/// The same for a receive that may be given up: false when `given_up` says so before it is
/// complete; it is then cancelled and freed, and its buffer must live on. `awake`: how long it
/// looks without sleeping, where what follows must not be late.
bool wait_asleep_unless(MPI_Request& request, const char* call,
                        const std::function<bool()>& given_up,
                        std::chrono::microseconds awake = {});

/// The same for a collective call, which cannot be cancelled: MPI may still be at it then.
bool wait_collective_asleep_unless(MPI_Request& request, const char* call,
                                   const std::function<bool()>& given_up,
                                   std::chrono::microseconds awake = {});

/// Waits for any of these to complete, as wait_asleep does: its index, or nothing when `given_up`
/// says so before; none is cancelled then. `awake`: how long it looks without sleeping, where each
/// look moves a piece of the data. Precondition: one of them is no null request.
std::optional<int> wait_any_asleep_unless(std::vector<MPI_Request>& requests,
                                          const std::function<bool()>& given_up,
                                          std::chrono::microseconds awake = {});

}  // namespace ductile::mpi
