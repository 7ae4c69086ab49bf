#include "os/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <thread>

namespace ductile::os {

namespace {

// The cpu.max of the cgroup (version 2) of this process, and of those above it.
int cores_of_cgroup() {
    std::ifstream groups("/proc/self/cgroup");
    int least = 0;
    for (std::string line; std::getline(groups, line);) {
        if (!line.starts_with("0::/")) continue;
        for (auto path = line.substr(3); !path.empty(); path.resize(path.rfind('/'))) {
            std::string limit;
            std::getline(std::ifstream("/sys/fs/cgroup" + path + "/cpu.max"), limit);
            if (const int cores = cores_of_limit(limit); cores > 0)
                least = least == 0 ? cores : std::min(least, cores);
        }
    }
    return least;
}

}  // namespace

int cores_of_limit(std::string_view cpu_max) {
    long long time = 0, period = 0;
    const auto* const end = cpu_max.data() + cpu_max.size();
    const auto first = std::from_chars(cpu_max.data(), end, time);
    if (first.ec != std::errc{} || first.ptr == end) return 0;  // "max 100000"
    const auto second = std::from_chars(first.ptr + 1, end, period);
    if (second.ec != std::errc{} || time < 1 || period < 1) return 0;
    return static_cast<int>(std::min((time + period - 1) / period, 1LL << 20));
}

int usable_cores() {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    if (::sched_getaffinity(0, sizeof(mine), &mine) == 0) cores = std::max(1, CPU_COUNT(&mine));
    const int limit = cores_of_cgroup();
    return limit > 0 ? std::min(cores, limit) : cores;
}

}  // namespace ductile::os
