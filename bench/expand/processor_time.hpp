// The processor time of the processes that a growth has started, by /proc and their CPU clocks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

namespace ductile::bench {

struct ProcessTime {
    pid_t parent = 0;
    std::uint64_t started = 0;  ///< when it started; differs for processes that reuse a pid
    std::string program;        ///< file name of its executable
    double used_s = 0;          ///< by all its threads, also by ended threads
    double waited_for_s = 0;    ///< by its ended children, in steps of 10 ms
};

using Census = std::map<pid_t, ProcessTime>;

/// All processes that this process can see, except processes that end meanwhile.
Census take_census();

/// The processes that count: `root` and its descendants, except `self`. Pure.
Census below(const Census& all, pid_t root, pid_t self);

struct GrowthTime {
    int ranks = 0;  ///< the number of new ranks of the program; their time is in no other field
    double started_s = 0;   ///< of all other new processes
    double managers_s = 0;  ///< of the processes that ran before, except ranks of the program
};

/// The processor time that was used between two censuses. A process that started and ended between
/// them is counted in the `waited_for_s` of its parent. `program`: the ranks' executable. Pure.
GrowthTime time_between(const Census& before, const Census& after, const std::string& program);

}  // namespace ductile::bench
