// The commands' end of the cluster's socket.
#pragma once

#include <sys/types.h>

#include <string>

#include "cluster/message.hpp"

namespace ductile::cluster {

/// A connection to the cluster whose state is there. Throws SystemError when none is up, or when
/// another user serves it.
Descriptor connect_to(const std::string& state_dir);

/// The next reply, or nothing when the deadline passes (-1: none) or the cluster is gone.
struct Answer {
    Reply kind;
    std::string text;
};
std::optional<Answer> next_answer(int connection, FrameReader& reader, int limit_ms);

/// Sends a request and returns what it is answered, within 30 s. Throws UsageError with the
/// cluster's words when refused.
std::string ask(const std::string& state_dir, const Words& request);

}  // namespace ductile::cluster
