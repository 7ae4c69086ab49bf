#include "cluster/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/namespaces.hpp"
#include "cluster/system_call.hpp"

namespace ductile::cluster {
namespace {

/// "a\0b\0" -> {"a", "b"}. Ignores the zeros after a title.
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

std::vector<Process> read_processes(const std::string& proc, const std::string& variable) {
    std::vector<Process> processes;
    for (const pid_t pid : os::pids_in(proc)) {
        const std::string directory = fmt::format("{}/{}/", proc, pid);
        auto stat = os::parse_stat(read_file(directory + "stat"));
        if (!stat) continue;
        if (!variable.empty() && !has_variable(read_file(directory + "environ"), variable))
            continue;
        processes.push_back({std::move(*stat), words_of(read_file(directory + "cmdline"))});
    }
    return processes;
}

bool is_furniture(const Process& process) {
    return (process.pid == 1 && process.name == init_name) ||
           (process.parent == 0 && process.name == session_name);
}

std::vector<pid_t> pids_in_namespace(ino_t pid_namespace) {
    std::vector<pid_t> pids = os::pids_in();
    std::erase_if(pids,
                  [pid_namespace](pid_t pid) { return namespace_id(pid, "pid") != pid_namespace; });
    return pids;
}

}  // namespace ductile::cluster
