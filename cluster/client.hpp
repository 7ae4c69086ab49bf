// The client side of the cluster's socket, for commands.
#pragma once

#include <sys/types.h>

#include <string>

#include "cluster/message.hpp"

namespace ductile::cluster {

/// Connects to the cluster that has this state directory. Throws SystemError if no such cluster is
/// up, or if another user serves it.
Descriptor connect_to(const std::string& state_dir);

/// A reply of the cluster.
struct Answer {
    Reply kind;
    std::string text;
};
/// The next reply. Nothing if `limit_ms` milliseconds pass (-1: no limit), or the cluster is gone.
std::optional<Answer> next_answer(int connection, FrameReader& reader, int limit_ms);

/// Sends a request and returns the answer. Throws UsageError with the cluster's text if the cluster
/// refuses, and TimeoutError if no answer comes within 30 s or the cluster ends.
std::string ask(const std::string& state_dir, const Words& request);

}  // namespace ductile::cluster
