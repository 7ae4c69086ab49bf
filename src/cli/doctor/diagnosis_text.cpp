#include "cli/doctor/diagnosis_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace ductile::cli {
namespace {

const char* shown(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok:
            return "OK";
        case Verdict::warn:
            return "WARN";
        case Verdict::fail:
            return "FAIL";
    }
    return "";
}

std::string limits_of(const mpi::Capabilities& can) {
    std::string text;
    const auto add = [&text](int limit, const char* words) {
        if (limit > 0)
            text += fmt::format("{}fewer than {} {}", text.empty() ? "" : ", ", limit, words);
    };
    add(can.max_worlds_in_life, "worlds in a process's life");
    add(can.max_worlds_in_communicator, "worlds in one communicator");
    add(can.max_ports, "ports in a life");
    if (can.spawn && !can.spawn_counts_by_host)
        text +=
            fmt::format("{}one MPI_Comm_spawn starts ranks on one host", text.empty() ? "" : ", ");
    return text.empty() ? "none known" : text;
}

std::string as_words(const std::map<std::string, std::string>& environment) {
    std::string text;
    for (const auto& [name, value] : environment)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    return text.empty() ? "nothing special" : text;
}

std::string words(const std::vector<std::string>& list) {
    return list.empty() ? "none" : fmt::format("{}", fmt::join(list, ", "));
}

nlohmann::json json_of(const std::vector<Finding>& findings) {
    auto all = nlohmann::json::array();
    for (const auto& finding : findings) {
        std::string verdict = shown(finding.verdict);
        for (char& letter : verdict) letter = static_cast<char>(letter - 'A' + 'a');
        all.push_back({{"probe", finding.probe},
                       {"verdict", verdict},
                       {"what", finding.what},
                       {"cure", finding.cure}});
    }
    return all;
}

nlohmann::json capabilities_json(const mpi::Capabilities& can) {
    return {{"implementation", can.implementation},
            {"version", can.version},
            {"device", can.device},
            {"agents_start_ranks", can.agents_start_ranks},
            {"spawn", can.spawn},
            {"spawn_counts_by_host", can.spawn_counts_by_host},
            {"spawn_blocks_threads", can.spawn_blocks_threads},
            {"open_port", can.open_port},
            {"independent_connect", can.independent_connect},
            {"introduces_strangers", can.introduces_strangers},
            {"survives_newcomer_death", can.survives_newcomer_death},
            {"max_worlds_in_life", can.max_worlds_in_life},
            {"max_worlds_in_communicator", can.max_worlds_in_communicator},
            {"max_ports", can.max_ports},
            {"environment", can.environment},
            {"plain_network_environment", can.plain_network_environment},
            {"shared_cores_environment", can.shared_cores_environment}};
}

}  // namespace

std::string as_text(const std::vector<Finding>& findings) {
    std::string text;
    for (const auto& finding : findings) {
        text +=
            fmt::format("  {:<5} {:<24}{}\n", shown(finding.verdict), finding.probe, finding.what);
        if (!finding.cure.empty())
            text += fmt::format("  {:<5} {:<24}-> {}\n", "", "", finding.cure);
    }
    return text;
}

std::string as_text(const Diagnosis& diagnosis, const std::string& prefix) {
    std::string text = fmt::format("MPI in {}\n", prefix.empty() ? "(none)" : prefix);
    text += as_text(diagnosis.findings);
    if (!diagnosis.starts.empty()) {
        text += "What this MPI allows:\n";
        text += fmt::format("  environment   {}\n", as_words(diagnosis.can.environment));
        text += fmt::format("  ranks         started by {}\n",
                            diagnosis.can.agents_start_ranks
                                ? "Ductile's agents, which serve PMI-1 to them"
                                : "the MPI's mpiexec");
        if (!diagnosis.can.plain_network_environment.empty())
            text += fmt::format("  over TCP      {}\n",
                                as_words(diagnosis.can.plain_network_environment));
        if (!diagnosis.can.shared_cores_environment.empty())
            text += fmt::format("  shared cores  {}\n",
                                as_words(diagnosis.can.shared_cores_environment));
        text += fmt::format("  starts        {}\n", words(diagnosis.starts));
        if (diagnosis.can.spawn_blocks_threads)
            text +=
                "  background    a program of several ranks continues only with launch: a rank "
                "that starts others cannot use MPI meanwhile\n";
        text += fmt::format("  connects      {}\n", words(diagnosis.connects));
        text += fmt::format("  limits        {}\n", limits_of(diagnosis.can));
    }
    text += diagnosis.usable() ? "Ductile can use this MPI.\n" : "Ductile cannot use this MPI.\n";
    return text;
}

// The output of an MPI or a Slurm may be invalid UTF-8, and may contain escape sequences for a
// terminal. So all characters outside ASCII, and all control characters, are written as \uNNNN.
std::string as_json(const std::vector<Finding>& findings) {
    return nlohmann::json{{"usable", is_usable(findings)}, {"findings", json_of(findings)}}.dump(
               2, ' ', true, nlohmann::json::error_handler_t::replace) +
           "\n";
}

std::string as_json(const Diagnosis& diagnosis, const std::string& prefix) {
    const nlohmann::json all = {{"prefix", prefix},
                                {"usable", diagnosis.usable()},
                                {"findings", json_of(diagnosis.findings)},
                                {"capabilities", capabilities_json(diagnosis.can)},
                                {"starts", diagnosis.starts},
                                {"connects", diagnosis.connects}};
    return all.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace ductile::cli
