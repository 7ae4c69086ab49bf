// Processes that a command left behind: found in /proc, ended, reaped.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "rms/command.hpp"

namespace ductile::rms {

/// Whose processes: all of one session, and all that have `mark` ("NAME=value") in their
/// environment.
struct Belonging {
    pid_t session = 0;
    std::string mark;
};

/// A value for such a mark that no other process has.
[[nodiscard]] std::string fresh_mark();

/// The living processes that belong; never this process, nor the session's leader.
[[nodiscard]] std::vector<LeftProcess> find_leftovers(const Belonging& whose);

/// Kills what belongs until nothing is found any more, for at most one second.
void kill_leftovers(const Belonging& whose);

}  // namespace ductile::rms
