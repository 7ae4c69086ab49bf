#include "common/machine.hpp"

#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "build_info.hpp"

namespace ductile::bench {

namespace {

/// The value of the first line "key : value" of a file in /proc.
std::string field(const char* file, const std::string& key) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key)) continue;
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        const auto first = line.find_first_not_of(" \t", colon + 1);
        return first == std::string::npos ? "" : line.substr(first);
    }
    return "";
}

}  // namespace

double load_now() {
    double load = 0;
    return ::getloadavg(&load, 1) == 1 ? load : 0;
}

nlohmann::json describe_machine() {
    utsname system{};
    ::uname(&system);
    return {{"processor", field("/proc/cpuinfo", "model name")},
            {"cores", std::thread::hardware_concurrency()},
            {"memory", field("/proc/meminfo", "MemTotal")},
            {"system", std::string(system.sysname) + " " + system.release + " " + system.machine},
            {"load", load_now()}};
}

nlohmann::json describe_versions() {
    return {{"ductile", build_info::version},
            {"mpi", build_info::mpi},
            {"compiler", build_info::compiler},
            {"build_type", build_info::build_type}};
}

}  // namespace ductile::bench
