// The power of this host, by the counters of its processors and memory (RAPL), which Linux shows as
// files (Documentation/power/powercap/powercap.rst of the kernel; the driver intel_rapl, also for
// AMD).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace ductile::agent {

/// Counts the packages and their memory. The counters of cores are parts of those of packages.
/// Counters that only some machines have (psys) do not count.
class Rapl {
  public:
    using Time = std::chrono::steady_clock::time_point;
    struct NoPower {
        std::string why;
    };

    explicit Rapl(const std::filesystem::path& folder = "/sys/class/powercap");

    /// The power since the last call, in W, on average. NoPower if the counters cannot be read, and
    /// at the first call.
    std::variant<double, NoPower> watts(Time now);

  private:
    struct Counter {
        std::filesystem::path file;  ///< holds microjoules
        std::uint64_t range_uj = 0;  ///< after this value it begins again with 0
        std::uint64_t last_uj = 0;
    };

    std::vector<Counter> counters_;
    std::string missing_;  ///< why there are no counters
    bool has_last_ = false;
    Time last_;
};

}  // namespace ductile::agent
