#include "cluster/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "cluster/namespaces.hpp"
#include "cluster/system_call.hpp"

namespace ductile::cluster {
namespace {

std::vector<pid_t> pids_of(const std::string& proc) {
    std::vector<pid_t> pids;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(proc, ignored)) {
        const std::string name = entry.path().filename();
        pid_t pid = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (error == std::errc{} && end == name.data() + name.size()) pids.push_back(pid);
    }
    std::sort(pids.begin(), pids.end());
    return pids;
}

/// "a\0b\0" -> {"a", "b"}, without the zeros that follow a title.
std::vector<std::string> words_of(std::string_view text) {
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    std::vector<std::string> words;
    while (!text.empty()) {
        const auto end = std::min(text.find('\0'), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

bool has_variable(const std::string& environment, const std::string& variable) {
    const auto words = words_of(environment);
    return std::find(words.begin(), words.end(), variable) != words.end();
}

}  // namespace

Process parse_stat(std::string_view stat) {
    const auto open = stat.find('(');
    const auto close = stat.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return {};
    Process process;
    process.name = stat.substr(open + 1, close - open - 1);
    std::istringstream before{std::string(stat.substr(0, open))};
    std::istringstream after{std::string(stat.substr(close + 1))};
    if (!(before >> process.pid) || !(after >> process.state >> process.ppid)) return {};
    return process;
}

std::vector<Process> read_processes(const std::string& proc, const std::string& variable) {
    std::vector<Process> processes;
    for (const pid_t pid : pids_of(proc)) {
        const std::string directory = fmt::format("{}/{}/", proc, pid);
        Process process = parse_stat(read_file(directory + "stat"));
        if (process.pid == 0) continue;
        if (!variable.empty() && !has_variable(read_file(directory + "environ"), variable))
            continue;
        process.command = words_of(read_file(directory + "cmdline"));
        processes.push_back(std::move(process));
    }
    return processes;
}

bool is_furniture(const Process& process) {
    return (process.pid == 1 && process.name == init_name) ||
           (process.ppid == 0 && process.name == session_name);
}

std::vector<pid_t> pids_in_namespace(ino_t pid_namespace) {
    std::vector<pid_t> pids = pids_of("/proc");
    std::erase_if(pids,
                  [pid_namespace](pid_t pid) { return namespace_id(pid, "pid") != pid_namespace; });
    return pids;
}

}  // namespace ductile::cluster
