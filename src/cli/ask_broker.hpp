// One request to a broker and its replies.
#pragma once

#include <chrono>
#include <functional>

#include "cli/command_line.hpp"

namespace ductile::cli {

/// Sends the request and calls `on_reply` for each reply until it returns true. Waits at most
/// `first` for the first one and without limit for those after it (the broker has the deadlines;
/// its end ends the wait). Throws SystemError when the broker goes away.
void ask_broker(const JobSocket& job, const wire::Request& request, std::chrono::seconds first,
                const std::function<bool(const wire::Reply&)>& on_reply);

/// The exit code that stands for a reply.
int exit_code_for(wire::ReplyKind kind);

}  // namespace ductile::cli
