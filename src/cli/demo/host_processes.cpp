#include "cli/demo/host_processes.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/demo/job_run.hpp"
#include "ductile/error.hpp"

namespace ductile::cli::demo {

namespace {

struct Process {
    std::string pid;
    std::string parent;
    std::vector<std::string> command;
    std::vector<std::string> environment;
};

// Strings that end with a zero byte each. A process that is gone has none.
std::vector<std::string> read_strings(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<std::string> strings;
    for (std::string text; std::getline(file, text, '\0');) strings.push_back(text);
    return strings;
}

std::string read_parent(const std::string& directory) {
    std::ifstream file(directory + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("PPid:\t")) return line.substr(6);
    return "";
}

std::vector<Process> all_processes() {
    std::vector<Process> processes;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const std::string pid = entry.path().filename();
        if (std::isdigit(static_cast<unsigned char>(pid.front())) == 0) continue;
        const std::string directory = entry.path();
        processes.push_back({pid, read_parent(directory), read_strings(directory + "/cmdline"),
                             read_strings(directory + "/environ")});
    }
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
    std::set<std::string> brokers;
    for (const auto& process : processes)
        if (process.command.size() > 1 && process.command[1] == "run" &&
            contains(process.command, events))
            brokers.insert(process.pid);
    return static_cast<int>(
        std::count_if(processes.begin(), processes.end(), [&](const Process& process) {
            return process.command.size() == 2 && process.command[1] == "agent" &&
                   brokers.contains(process.parent);
        }));
}

}  // namespace ductile::cli::demo
