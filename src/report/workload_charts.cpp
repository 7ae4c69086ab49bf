#include "report/workload_charts.hpp"

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace ductile::report {
namespace {

using Json = nlohmann::json;

std::string colour_of(const std::string& configuration) {
    static const std::map<std::string, std::string> by_name{{"static", "#7a828e"},
                                                            {"baseline", "#e8743b"},
                                                            {"merge", "#3f8fd2"},
                                                            {"baseline-background", "#f0b08a"},
                                                            {"merge-background", "#95c3ea"}};
    const auto found = by_name.find(configuration);
    return found == by_name.end() ? "#57a55a" : found->second;
}

Json bars(const std::string& configuration, Json x, Json y) {
    return {{"type", "bar"},
            {"name", configuration},
            {"x", std::move(x)},
            {"y", std::move(y)},
            {"marker", {{"color", colour_of(configuration)}}},
            {"hovertemplate", "%{x}: %{y:.4~g} s<extra>%{fullData.name}</extra>"}};
}

Json bar_chart(Json data, const std::string& xtitle, const std::string& ytitle) {
    return {{"data", std::move(data)},
            {"layout",
             {{"barmode", "group"},
              {"legend", {{"orientation", "h"}, {"y", 1.02}, {"yanchor", "bottom"}}},
              {"xaxis", {{"title", {{"text", xtitle}}}}},
              {"yaxis", {{"title", {{"text", ytitle}}}, {"rangemode", "tozero"}}}}}};
}

}  // namespace

Json makespan_chart(const std::vector<ConfigurationNumbers>& numbers) {
    Json data = Json::array();
    for (const auto& one : numbers)
        data.push_back(bars(one.name, {one.name}, {one.median.makespan_s}));
    return bar_chart(std::move(data), "", "makespan, s (median)");
}

Json utilisation_chart(const workload::Study& study, const std::vector<ConfigurationRuns>& runs) {
    Json data = Json::array();
    for (const auto& configuration : runs) {
        Json x = Json::array(), y = Json::array();
        const auto steps = workload::utilisation(configuration.repetitions.front(), study.hosts);
        for (const auto& step : steps) {
            x.push_back((step.time_s - steps.front().time_s) / study.time_scale);
            y.push_back(step.share * 100);
        }
        data.push_back(
            {{"type", "scatter"},
             {"mode", "lines"},
             {"name", configuration.name},
             {"x", std::move(x)},
             {"y", std::move(y)},
             {"line", {{"shape", "hv"}, {"color", colour_of(configuration.name)}}},
             {"hovertemplate", "%{x:.0f} s: %{y:.0f} %<extra>%{fullData.name}</extra>"}});
    }
    return bar_chart(std::move(data), "s after the first submission", "hosts held by jobs, %");
}

Json job_times_chart(const std::vector<ConfigurationNumbers>& numbers,
                     double workload::JobTimes::*part) {
    Json data = Json::array();
    for (const auto& one : numbers) {
        Json x = Json::array(), y = Json::array();
        for (const auto& of_class : one.median.classes) {
            x.push_back(of_class.name);
            y.push_back(of_class.median.*part);
        }
        data.push_back(bars(one.name, std::move(x), std::move(y)));
    }
    return bar_chart(std::move(data), "", "s (median)");
}

Json resize_times_chart(const std::vector<ConfigurationNumbers>& numbers) {
    Json data = Json::array();
    for (const auto& one : numbers) {
        const auto& resize = one.median.resize_median;
        if (one.median.resizes > 0)
            data.push_back(
                bars(one.name, {"start of ranks", "redistribution", "stall", "total"},
                     {resize.spawn_s, resize.redistribution_s, resize.stall_s, resize.total_s}));
    }
    return bar_chart(std::move(data), "", "s (median)");
}

}  // namespace ductile::report
