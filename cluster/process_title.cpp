#include "cluster/process_title.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "cluster/system_call.hpp"

namespace ductile::cluster {
namespace {

struct Area {
    char* begin = nullptr;
    std::size_t size = 0;
};

/// The memory of this process's arguments and environment: fields 48 to 51 of stat, proc(5).
Area argument_area() {
    const std::string stat = read_file("/proc/self/stat");
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos) return {};
    std::istringstream fields(stat.substr(name_end + 1));
    std::string field;
    std::uintptr_t bounds[4] = {};
    for (int number = 3; fields >> field && number <= 51; ++number)
        if (number >= 48) bounds[number - 48] = std::stoull(field);
    const bool adjacent = bounds[1] == bounds[2] && bounds[3] > bounds[0];
    const std::uintptr_t end = adjacent ? bounds[3] : bounds[1];
    if (bounds[0] == 0 || end <= bounds[0]) return {};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): /proc gives our own addresses as numbers
    return {reinterpret_cast<char*>(bounds[0]), end - bounds[0]};
}

}  // namespace

void set_process_title(const std::string& title) {
    static const Area area = argument_area();  // a fork keeps the addresses
    ::prctl(PR_SET_NAME, title.substr(title.rfind(' ') + 1).c_str());
    environ = nullptr;
    if (area.size < 2) return;
    std::memset(area.begin, 0, area.size);
    std::memcpy(area.begin, title.data(), std::min(title.size(), area.size - 1));
}

}  // namespace ductile::cluster
