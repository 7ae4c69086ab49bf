#include "cli/demo/host_processes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/job_run.hpp"
#include "ductile/error.hpp"
#include "os/proc.hpp"

namespace ductile::cli::demo {

namespace {

struct ShownProcess {
    pid_t pid;
    pid_t parent;
    std::vector<std::string> command;
    std::vector<std::string> environment;
};

// The strings in the file, each ended by a zero byte. A process that is gone has none.
std::vector<std::string> strings_in(pid_t pid, const char* file) {
    std::istringstream text(os::read_proc(pid, file));
    std::vector<std::string> strings;
    for (std::string one; std::getline(text, one, '\0');) strings.push_back(one);
    return strings;
}

std::vector<ShownProcess> all_processes() {
    std::vector<ShownProcess> processes;
    for (const auto& [pid, process] : os::living_processes())
        processes.push_back(
            {pid, process.parent, strings_in(pid, "cmdline"), strings_in(pid, "environ")});
    return processes;
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::vector<std::string> on_virtual_host(const std::string& host) {
    const auto answer =
        run_ductile({"cluster", "ps", host, "--json"}, std::chrono::seconds(15), -1);
    if (!answer.succeeded()) throw SystemError("cannot look at " + host + ": " + answer.err);
    std::vector<std::string> found;
    const auto list = nlohmann::json::parse(answer.out);
    for (const auto& process : list.at("processes"))
        if (!process.at("furniture").get<bool>())
            found.push_back(joined(process.at("command").get<std::vector<std::string>>()));
    return found;
}

}  // namespace

std::vector<std::string> host_processes(const Stage& stage, const std::string& job,
                                        const std::string& host) {
    if (stage.hosts == Hosts::virtual_) return on_virtual_host(host);
    const auto digit = host.find_first_of("0123456789");
    if (digit == std::string::npos) throw SystemError("no logical host has the name " + host);
    std::vector<std::string> found;
    for (const auto& process : all_processes())
        if (contains(process.environment, "DUCTILE_JOB=" + job) &&
            contains(process.environment, "DUCTILE_HOST=" + host.substr(digit)))
            found.push_back(joined(process.command));
    return found;
}

int count_agents(const std::string& events) {
    const auto processes = all_processes();
    std::set<pid_t> brokers;
    for (const auto& process : processes)
        if (process.command.size() > 1 && process.command[1] == "run" &&
            contains(process.command, events))
            brokers.insert(process.pid);
    return static_cast<int>(
        std::count_if(processes.begin(), processes.end(), [&](const ShownProcess& process) {
            return !process.command.empty() &&
                   process.command.front().ends_with("/libexec/ductile/agent") &&
                   brokers.contains(process.parent);
        }));
}

}  // namespace ductile::cli::demo
