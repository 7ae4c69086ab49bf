#include "cli/demo/stage.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "ductile/error.hpp"
#include "rms/command.hpp"
#include "rms/self.hpp"

namespace ductile::cli::demo {

namespace {

std::string without_newline(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::string cluster_name(const char* purpose) {
    return fmt::format("{}-{}", purpose, ::getpid());
}

}  // namespace

std::string objection_to_virtual_hosts() {
    rms::Command command;
    command.arguments = {rms::self_path(), "cluster",           "up", "1",
                         "--name",         cluster_name("try"), "--", "/bin/true"};
    command.environment = rms::current_environment();
    command.deadline = std::chrono::seconds(20);
    const auto result = rms::run_command(command);
    if (result.succeeded()) return "";
    const auto said = without_newline(result.err);
    return said.empty() ? how_it_ended(command, result) : said;
}

void become_cluster(int hosts, int cores, const std::vector<std::string>& arguments) {
    std::vector<std::string> words{rms::self_path(),
                                   "cluster",
                                   "up",
                                   std::to_string(hosts),
                                   "--cores",
                                   std::to_string(cores),
                                   "--name",
                                   cluster_name("demo"),
                                   "--",
                                   rms::self_path(),
                                   "demo"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers.front(), pointers.data());
    throw SystemError(fmt::format("cannot run {}: {}", words.front(), std::strerror(errno)));
}

std::vector<std::string> placement(const Stage& stage, int hosts, int ranks_per_host) {
    const std::string per_host = std::to_string(ranks_per_host);
    if (stage.hosts == Hosts::logical)
        return {"--local=" + std::to_string(hosts), "--ranks-per-host", per_host};
    rms::Command command;
    command.arguments = {rms::self_path(), "cluster", "hosts"};
    command.environment = rms::current_environment();
    const auto result = rms::run_command(command);
    if (!result.succeeded())
        throw SystemError("cannot learn the cluster's hosts (" + how_it_ended(command, result) +
                          "): " + without_newline(result.err));
    return {"--hosts",          without_newline(result.out),
            "--ranks-per-host", per_host,
            "--remote-shell",   "'" + rms::self_path() + "' cluster exec {host} -- {argv}"};
}

}  // namespace ductile::cli::demo
