#include "common/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/statistics.hpp"

namespace ductile::bench {

namespace {

constexpr const char* stall_parts[] = {"vote_s", "join_s", "redistribute_s", "commit_s"};
constexpr std::pair<const char*, const char*> named_parts[] = {
    {"vote_s", "agreement"},        {"join_s", "join or split"},
    {"redistribute_s", "data"},     {"commit_s", "handing over"},
    {"recorded_stall_s", "in all"}, {"program_stall_s", "as the program sees it"}};

}  // namespace

nlohmann::json median_phases(const std::vector<OurResize>& resizes) {
    std::map<std::string, std::vector<double>> moments;
    std::map<std::string, std::vector<double>> parts;
    for (const auto& resize : resizes) {
        for (const auto& [name, at_s] : resize.record.at("since_accepted_s").items())
            moments[name].push_back(at_s);
        for (const char* part : stall_parts) parts[part].push_back(resize.record.at(part));
        parts["recorded_stall_s"].push_back(resize.record.at("stall_s"));
        parts["program_stall_s"].push_back(resize.stall_s);
    }
    nlohmann::json phases{{"since_accepted_s", nlohmann::json::object()},
                          {"stall", nlohmann::json::object()}};
    for (const auto& [name, times] : moments)
        phases["since_accepted_s"][name] = spread_of(times).median;
    for (const auto& [name, times] : parts) phases["stall"][name] = spread_of(times).median;
    return phases;
}

std::string phases_to_text(const std::string& name, const nlohmann::json& phases) {
    std::vector<std::pair<double, std::string>> moments;
    for (const auto& [moment, at_s] : phases.at("since_accepted_s").items())
        moments.emplace_back(at_s.get<double>(), moment);
    std::sort(moments.begin(), moments.end());
    std::string text = name + ", ms since acceptance:";
    for (const auto& [at_s, moment] : moments)
        text += fmt::format(" {} {:.1f}", moment, at_s * 1e3);
    text += fmt::format("\n{}, ms of the stall:", name);
    for (const auto& [part, meaning] : named_parts)
        text += fmt::format(" {} {:.2f}", meaning, phases.at("stall").at(part).get<double>() * 1e3);
    return text + "\n";
}

}  // namespace ductile::bench
