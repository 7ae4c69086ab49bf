// The event loop of a process that must clean up before it ends.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <string>

namespace ductile::wire {

/// Runs `io` until it stops. If a handler throws (for example, a library throws because of wrong
/// input), calls `on_error`, which must start the shutdown of the process. The other handlers
/// continue. If a handler throws again, this function throws that exception.
void run_to_end(asio::io_context& io, const std::function<void(const std::string&)>& on_error);

}  // namespace ductile::wire
