// The event loop of a process that has to end in order.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <string>

namespace ductile::wire {

/// Runs `io` until it stops. What leaves a handler - a library's exception at something that came
/// from outside, say - is told to `on_error`, which is to begin the end; handlers run on meanwhile.
/// A second one leaves this function.
void run_to_end(asio::io_context& io, const std::function<void(const std::string&)>& on_error);

}  // namespace ductile::wire
