#include "cluster/print_cluster.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "wire/parse_json.hpp"

namespace ductile::cluster {

using Json = nlohmann::json;

constexpr const char* what = "the answer of the cluster";

std::string status_table(std::string_view json) {
    const Json status = wire::parse_json(json, what);
    std::string table =
        fmt::format("cluster {}, hosts file {}\n", status.at("name").get<std::string>(),
                    status.at("hosts_file").get<std::string>());
    table += fmt::format("{:<8}{:<14}{:>6}  {:<12}{:>10}\n", "host", "address", "cores", "state",
                         "processes");
    for (const auto& host : status.at("hosts"))
        table += fmt::format("{:<8}{:<14}{:>6}  {:<12}{:>10}\n", host.at("name").get<std::string>(),
                             host.at("address").get<std::string>(), host.at("cores").get<int>(),
                             host.at("state").get<std::string>(), host.at("processes").get<int>());
    return table;
}

std::string process_table(std::string_view json) {
    std::string table = fmt::format("{:>7} {:>7} S COMMAND\n", "PID", "PPID");
    const Json answer = wire::parse_json(json, what);
    for (const auto& process : answer.at("processes")) {
        const auto words = process.at("command").get<std::vector<std::string>>();
        const bool is_furniture = process.at("furniture").get<bool>();
        std::string command = fmt::format("{}", fmt::join(words, " "));
        if (is_furniture || words.empty())
            command = fmt::format("[{}]", process.at("name").get<std::string>());
        table += fmt::format("{:>7} {:>7} {} {}\n", process.at("pid").get<int>(),
                             process.at("ppid").get<int>(), process.at("state").get<std::string>(),
                             command);
    }
    return table;
}

}  // namespace ductile::cluster
