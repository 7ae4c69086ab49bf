// A cluster's answers about itself, as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/cluster.hpp"
#include "cluster/processes.hpp"
#include "cluster/state_dir.hpp"

namespace ductile::cluster {
namespace {

using Json = nlohmann::ordered_json;

/// Texts of other programs may be invalid UTF-8, and may contain escape sequences for a terminal.
/// Invalid bytes become U+FFFD, and all characters beyond ASCII become JSON escapes.
std::string text_of(const Json& json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string state_of(const Host& host) {
    if (!host.is_up()) return "killed";
    if (host.frozen) return host.is_cut ? "frozen,cut" : "frozen";
    return host.is_cut ? "cut" : "up";
}

/// The processes of the host. The head's /proc also shows the processes of all hosts. They are left
/// out of the list for the head.
std::vector<Process> seen_on(const Host& host, const std::string& variable) {
    if (!host.is_up()) return {};
    if (host.number != head)
        return read_processes(fmt::format("/proc/{}/root/proc", host.init), variable);
    auto processes = read_processes("/proc", variable);
    const auto own = pids_in_namespace(host.pid_namespace);
    std::erase_if(processes, [&own](const Process& p) {
        return !std::binary_search(own.begin(), own.end(), p.pid);
    });
    return processes;
}

}  // namespace

std::string Cluster::status() const {
    Json hosts = Json::array();
    for (const auto& host : hosts_) {
        auto processes = seen_on(host, {});
        std::erase_if(processes, is_furniture);
        hosts.push_back(
            {{"name", host_name(host.number)},
             {"address", host_address(host.number)},
             {"cores", spec_.cores},
             {"state", state_of(host)},
             {"frozen_by", host.frozen ? Json(std::string(host.frozen->method())) : Json(nullptr)},
             {"processes", processes.size()}});
    }
    return text_of({{"name", spec_.name},
                    {"state_dir", state_dir_},
                    {"hosts_file", slots_path(state_dir_)},
                    {"hosts", hosts}});
}

std::string Cluster::processes(const Host& host, const std::string& variable) const {
    Json list = Json::array();
    for (const auto& process : seen_on(host, variable))
        list.push_back({{"pid", process.pid},
                        {"ppid", process.parent},
                        {"state", std::string(1, process.state)},
                        {"name", process.name},
                        {"command", process.command},
                        {"furniture", is_furniture(process)}});
    return text_of({{"host", host_name(host.number)}, {"processes", list}});
}

}  // namespace ductile::cluster
