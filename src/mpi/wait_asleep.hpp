// Waits without using a core.
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace ductile::mpi {

/// Completes a request. After a few tests in a row, sleeps between tests: if ranks share cores, the
/// late ranks need the cores more. If ranks do not share cores, this costs up to 0.1 ms. `call`:
/// the call that made the request, for the text of an error.
void wait_asleep(MPI_Request& request, const char* call);

/// The same for a receive that may be given up. False: `given_up` returned true before the receive
/// was complete. The receive is then cancelled and freed, and its buffer must live on. `awake`: how
/// long it tests without sleeping, if the next step must not be late.
bool wait_asleep_unless(MPI_Request& request, const char* call,
                        const std::function<bool()>& given_up,
                        std::chrono::microseconds awake = {});

/// The same for a collective call. It cannot be cancelled, so MPI may still work on it after false.
bool wait_collective_asleep_unless(MPI_Request& request, const char* call,
                                   const std::function<bool()>& given_up,
                                   std::chrono::microseconds awake = {});

/// Waits for any of these requests to complete, as wait_asleep does. Returns its index, or nothing
/// if `given_up` returns true before; then no request is cancelled. `awake`: how long it tests
/// without sleeping, if each test moves a piece of the data. Precondition: one of them is no null
/// request.
std::optional<int> wait_any_asleep_unless(std::vector<MPI_Request>& requests,
                                          const std::function<bool()>& given_up,
                                          std::chrono::microseconds awake = {});

}  // namespace ductile::mpi
