#include "common/place.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <thread>
#include <utility>

#include "build_info.hpp"
#include "ductile/error.hpp"
#include "mpi/capabilities.hpp"
#include "rms/network.hpp"
#include "rms/self.hpp"

namespace ductile::bench {

namespace {

using namespace std::chrono_literals;

constexpr auto longest_run = 60s;

std::string host(int index) {
    return fmt::format("node{:02}", index + 1);
}

std::string folder() {
    const auto self = rms::self_path();
    return self.substr(0, self.rfind('/'));
}

std::string ductile_program() {
    return folder() + "/../bin/ductile";
}

rms::Environment clean_environment() {
    auto environment = rms::without_launcher_variables(rms::current_environment());
    std::erase_if(environment, [](const auto& v) { return v.first.starts_with("DUCTILE_"); });
    return environment;
}

bool ranks_outnumber_cores(const Shape& shape) {
    return shape.ranks() > static_cast<int>(std::thread::hardware_concurrency());
}

bool can_make_clusters() {
    rms::Command trial;
    trial.arguments = {ductile_program(),
                       "cluster",
                       "up",
                       "1",
                       "--name",
                       fmt::format("bench-trial-{}", ::getpid()),
                       "--",
                       "true"};
    trial.environment = clean_environment();
    return rms::run_command(trial).succeeded();
}

}  // namespace

std::string beside(const std::string& program) {
    return folder() + "/" + program;
}

std::string Place::description() const {
    return cluster_ ? "virtual hosts" : "logical hosts";
}

std::string Place::host_name(int index) const {
    return cluster_ ? host(index) : fmt::format("local{}", index);
}

rms::Command Place::ductile(const std::vector<std::string>& words) const {
    rms::Command command;
    command.arguments = {ductile_program()};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.environment = clean_environment();
    command.deadline = longest_run;
    command.max_output_bytes = 1 << 20;
    return command;
}

rms::Command Place::ours(const Shape& begin, const Shape& most, const std::string& events,
                         const std::vector<std::string>& options,
                         const std::vector<std::string>& program) const {
    std::vector<std::string> words{"run",
                                   "-n",
                                   std::to_string(begin.ranks()),
                                   "--ranks-per-host",
                                   std::to_string(most.per_host),
                                   "--events",
                                   events};
    if (cluster_) {
        const auto hosts = rms::run_command(ductile({"cluster", "hosts"}));
        words.insert(words.end(),
                     {"--hosts", hosts.out.substr(0, hosts.out.find('\n')), "--remote-shell",
                      ductile_program() + " cluster exec {host} -- {argv}"});
    } else {
        words.push_back(fmt::format("--local={}", most.hosts));
    }
    if (ranks_outnumber_cores(most)) words.insert(words.end(), {"--shared-cores", "yes"});
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return ductile(words);
}

rms::Command Place::other(const Shape& begin, const Shape& most,
                          const std::vector<std::string>& program) const {
    std::vector<std::string> on_first_host;
    if (cluster_) on_first_host = {ductile_program(), "cluster", "exec", host(0), "--"};
    return launcher(on_first_host, begin, most, program);
}

rms::Command Place::other_from_head(const Shape& shape,
                                    const std::vector<std::string>& program) const {
    return launcher({}, shape, shape, program);
}

rms::Command Place::launcher(std::vector<std::string> words, const Shape& begin, const Shape& most,
                             const std::vector<std::string>& program) const {
    words.insert(words.end(), {build_info::mpiexec, "-rmk", "user"});
    if (cluster_)
        words.insert(words.end(),
                     {"-launcher", "rsh", "-launcher-exec", beside("other/remote-shell"), "-hosts",
                      spawn_on(0, begin.hosts, begin.per_host)});
    else
        words.insert(words.end(), {"-launcher", "fork"});
    words.insert(words.end(), {"-n", std::to_string(begin.ranks())});
    words.insert(words.end(), program.begin(), program.end());
    auto command = ductile({});
    command.arguments = std::move(words);
    for (const auto& [name, value] :
         mpi::known_capabilities(build_info::mpi_version_text)
             .environment_on(rms::has_fast_network(), ranks_outnumber_cores(most)))
        command.environment.try_emplace(name, value);
    return command;
}

std::string Place::spawn_on(int first, int hosts, int per_host) const {
    if (!cluster_) return "";
    std::string names;
    for (int i = first; i < first + hosts; ++i)
        names += (names.empty() ? "" : ",") + host(i) +
                 (per_host > 1 ? ":" + std::to_string(per_host) : "");
    return names;
}

bool Place::lies_on(const std::vector<std::string>& names, const Shape& shape) const {
    if (names.size() != static_cast<std::size_t>(shape.ranks())) return false;
    if (!cluster_) return true;
    std::map<std::string, int> ranks_on;
    for (const auto& name : names) ++ranks_on[name];
    for (int i = 0; i < shape.hosts; ++i)
        if (ranks_on[host(i)] != shape.per_host) return false;
    return true;
}

Place choose_place(const Options& options, int argc, char** argv, int hosts) {
    if (options.inside) return Place(true);
    if (options.hosts == Hosts::local) return Place(false);
    if (!can_make_clusters()) {
        if (options.hosts == Hosts::cluster)
            throw InputError(
                "this user cannot make virtual hosts here (`ductile cluster up 1 -- true` fails); "
                "use --local");
        std::fputs("no virtual hosts here: measuring on logical hosts of this machine\n", stderr);
        return Place(false);
    }
    std::vector<std::string> words{ductile_program(),
                                   "cluster",
                                   "up",
                                   std::to_string(hosts),
                                   "--name",
                                   fmt::format("bench-{}", ::getpid()),
                                   "--",
                                   rms::self_path()};
    words.insert(words.end(), argv + 1, argv + argc);
    words.emplace_back("--inside");
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers.front(), pointers.data());
    throw SystemError("cannot start " + words.front());
}

}  // namespace ductile::bench
