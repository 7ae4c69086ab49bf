#include "cli/demo/machine.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/build_info.hpp"
#include "ductile/error.hpp"

namespace ductile::cli::demo {

namespace {

// The value of the first line "key   : value" with this key. Empty if there is none.
std::string value_in(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key)) continue;
        const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
        return value == std::string::npos ? "" : line.substr(value);
    }
    return "";
}

void append(const std::string& path, const char* event, nlohmann::json fields) {
    fields["event"] = event;
    fields["time_s"] =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::ofstream file(path, std::ios::app);
    file << fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    file.close();
    if (!file) throw SystemError("cannot write to " + path);
}

}  // namespace

void append_machine(const std::string& events) {
    utsname system{};
    ::uname(&system);
    nlohmann::json values{
        {"cores", std::to_string(std::max(1U, std::thread::hardware_concurrency()))},
        {"memory", value_in("/proc/meminfo", "MemTotal")},
        {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
        {"Ductile", build_info::version}};
    if (const auto processor = value_in("/proc/cpuinfo", "model name"); !processor.empty())
        values["processor"] = processor;
    append(events, "machine", {{"values", values}});
}

void append_check(const std::string& events, const report::Check& check) {
    append(events, "check", {{"name", check.name}, {"ok", check.ok}, {"text", check.text}});
}

}  // namespace ductile::cli::demo
