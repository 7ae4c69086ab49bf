#include "os/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace ductile::os {

int cores_of_cgroup(std::string_view membership, const std::filesystem::path& tree) {
    constexpr std::string_view version_2 = "0::/";
    const auto at = membership.starts_with(version_2) ? 0 : membership.find("\n0::/");
    if (at == std::string_view::npos) return 0;
    auto path = membership.substr(membership.find(version_2, at) + version_2.size());
    path = path.substr(0, path.find('\n'));
    int least = 0;
    for (;;) {
        std::string limit;
        std::getline(std::ifstream(tree / path / "cpu.max"), limit);
        if (const int cores = cores_of_limit(limit); cores > 0)
            least = least == 0 ? cores : std::min(least, cores);
        if (path.empty()) return least;
        const auto slash = path.rfind('/');
        path = path.substr(0, slash == path.npos ? 0 : slash);
    }
}

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
    std::ifstream file("/proc/self/cgroup");
    const std::string membership(std::istreambuf_iterator<char>(file), {});
    const int limit = cores_of_cgroup(membership, "/sys/fs/cgroup");
    return limit > 0 ? std::min(cores, limit) : cores;
}

}  // namespace ductile::os
