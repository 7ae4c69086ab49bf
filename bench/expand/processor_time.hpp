// The processor time of what a growth has started, as /proc and the processes' own clocks tell it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

namespace ductile::bench {

struct ProcessTime {
    pid_t parent = 0;
    std::uint64_t started = 0;  ///< tells processes apart that had the same pid in turn
    std::string program;        ///< file name of its executable
    double used_s = 0;          ///< by all its threads, those that have ended, too
    double waited_for_s = 0;    ///< of its children that have ended, in ticks of 10 ms
};

using Census = std::map<pid_t, ProcessTime>;

/// All processes that this one can see, but for those that end meanwhile.
Census take_census();

/// The processes that count: the descendants of `root`, and `root` itself unless that is `self`;
/// without `self`. Pure.
Census below(const Census& all, pid_t root, pid_t self);

struct GrowthTime {
    int ranks = 0;  ///< ranks of the program that are new; their time is not in any of the others
    double started_s = 0;   ///< of the other processes that are new
    double managers_s = 0;  ///< of those that were there before, but for ranks of the program
};

/// What was used between two censuses. A process that came and ended between them is counted by
/// what its parent has waited for. `program`: the ranks' executable. Pure.
GrowthTime time_between(const Census& before, const Census& after, const std::string& program);

}  // namespace ductile::bench
