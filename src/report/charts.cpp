#include "report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/counted.hpp"
#include "report/phases.hpp"

namespace ductile::report {

namespace {

using Json = nlohmann::json;

constexpr const char* member_colour = "#3f8fd2";
constexpr const char* starting_colour = "rgba(127,127,127,0.45)";
const std::map<std::string, std::string> phase_colours{
    {"launch", "#2f6f9f"},  {"connect", "#4a9cc9"}, {"bridge", "#86c5da"},
    {"agree", "#b9a3d9"},   {"switch", "#e8743b"},  {"vote", "#f2b447"},
    {"join", "#e8743b"},    {"commit", "#8c3b5e"},  {"redistribute", "#c94f4f"},
    {"rebuild", "#7a9e4b"},
};

std::string arrow(const Resize& resize) {
    return fmt::format("{} → {}", resize.from, resize.to);
}

template <class Hosts>
std::string where(int ranks, Hosts hosts) {
    return core::counted(ranks, "rank") + " on " + core::counted(hosts, "host");
}

bool is_done(const Resize& resize) {
    return resize.outcome == "done";
}

Json time_axis(const Timeline& timeline) {
    return {{"title", {{"text", "seconds since the start"}}},
            {"range", Json::array({0.0, timeline.ended_at_s})},
            {"zeroline", false}};
}

// A dotted line at the end of each resize, also of one that was rolled back.
Json resize_lines(const Timeline& timeline) {
    Json lines = Json::array();
    for (const auto& resize : timeline.resizes)
        lines.push_back({{"type", "line"},
                         {"x0", resize.at_s},
                         {"x1", resize.at_s},
                         {"yref", "paper"},
                         {"y0", 0},
                         {"y1", 1},
                         {"line", {{"color", "#8a8a8a"}, {"width", 1}, {"dash", "dot"}}}});
    return lines;
}

Json resize_labels(const Timeline& timeline) {
    Json labels = Json::array();
    for (const auto& resize : timeline.resizes)
        labels.push_back({{"x", resize.at_s},
                          {"yref", "paper"},
                          {"y", 1},
                          {"yanchor", "bottom"},
                          {"text", arrow(resize)},
                          {"showarrow", false}});
    return labels;
}

// The names have numbers, because two resizes may be between the same sizes.
std::vector<std::string> resize_names(const Timeline& timeline) {
    std::vector<std::string> names;
    for (const auto& resize : timeline.resizes)
        names.push_back(fmt::format("{}. {}{}", names.size() + 1, arrow(resize),
                                    is_done(resize) ? "" : " (rolled back)"));
    return names;
}

using PhasesOf = std::vector<Phase> (*)(const Resize&);

// A bar for each resize, divided into phases.
Json stacked_bars(const Timeline& timeline, PhasesOf phases_of_resize) {
    const auto names = resize_names(timeline);
    Json data = Json::array();
    for (std::size_t i = 0; !timeline.resizes.empty(); ++i) {
        const auto first = phases_of_resize(timeline.resizes.front());
        if (i == first.size()) break;
        Json widths = Json::array();
        for (const auto& resize : timeline.resizes)
            widths.push_back(phases_of_resize(resize)[i].seconds * 1e3);
        data.push_back(
            {{"type", "bar"},
             {"orientation", "h"},
             {"name", first[i].name},
             {"y", names},
             {"x", widths},
             {"marker", {{"color", phase_colours.at(first[i].name)}}},
             {"hovertemplate", "%{y}<br>" + first[i].name + ": %{x:.1f} ms<extra></extra>"}});
    }
    return {
        {"data", data},
        {"layout",
         {{"barmode", "stack"},
          {"legend",
           {{"orientation", "h"}, {"y", 1.02}, {"yanchor", "bottom"}, {"traceorder", "normal"}}},
          {"xaxis", {{"title", {{"text", "milliseconds"}}}}},
          {"yaxis", {{"autorange", "reversed"}, {"automargin", true}}}}}};
}

}  // namespace

std::vector<HostStay> host_stays(const Timeline& timeline) {
    std::vector<HostStay> stays;
    std::map<std::string, std::size_t> open;
    const auto begin = [&](const std::string& host, double starting_s, double from_s) {
        if (open.emplace(host, stays.size()).second)
            stays.push_back({host, starting_s, from_s, timeline.ended_at_s});
    };
    // The first resize names the hosts of the start. Without a resize no record names them.
    if (!timeline.resizes.empty())
        for (const auto& host : timeline.resizes.front().hosts_before)
            begin(host, 0, timeline.running_at_s);
    for (const auto& resize : timeline.resizes) {
        if (!is_done(resize)) continue;
        const std::set<std::string> after(resize.hosts_after.begin(), resize.hosts_after.end());
        for (const auto& host : resize.hosts_before) {
            const auto stay = open.find(host);
            if (after.contains(host) || stay == open.end()) continue;
            const auto freed = std::find_if(
                timeline.freed.begin(), timeline.freed.end(), [&](const HostFree& record) {
                    return record.host == host && record.at_s >= resize.accepted_at_s();
                });
            stays[stay->second].to_s = freed == timeline.freed.end() ? resize.at_s : freed->at_s;
            open.erase(stay);
        }
        for (const auto& host : resize.hosts_after)
            begin(host, resize.accepted_at_s(), resize.at_s);
    }
    return stays;
}

std::vector<IterationTime> iteration_times(const Timeline& timeline) {
    std::vector<IterationTime> times;
    for (std::size_t i = 1; i < timeline.paces.size(); ++i) {
        const auto& before = timeline.paces[i - 1];
        const auto& now = timeline.paces[i];
        if (now.points <= before.points || now.clock_s <= before.clock_s) continue;
        times.push_back(
            {(before.at_s + now.at_s) / 2,
             (now.clock_s - before.clock_s) / static_cast<double>(now.points - before.points),
             now.ranks});
    }
    return times;
}

Json ranks_chart(const Timeline& timeline) {
    Json x = Json::array({timeline.running_at_s});
    Json y = Json::array({timeline.ranks});
    Json text = Json::array({where(timeline.ranks, timeline.hosts)});
    int ranks = timeline.ranks;
    for (const auto& resize : timeline.resizes) {
        if (!is_done(resize)) continue;
        ranks = resize.to;
        x.push_back(resize.at_s);
        y.push_back(ranks);
        text.push_back(where(ranks, resize.hosts_after.size()));
    }
    x.push_back(timeline.ended_at_s);
    y.push_back(ranks);
    text.push_back("the end");
    Json trace{{"type", "scatter"},
               {"mode", "lines"},
               {"x", x},
               {"y", y},
               {"text", text},
               {"fill", "tozeroy"},
               {"fillcolor", "rgba(63,143,210,0.25)"},
               {"line", {{"shape", "hv"}, {"color", member_colour}, {"width", 3}}},
               {"hovertemplate", "%{x:.1f} s: %{text}<extra></extra>"}};
    return {{"data", Json::array({trace})},
            {"layout",
             {{"xaxis", time_axis(timeline)},
              {"yaxis", {{"title", {{"text", "ranks"}}}, {"rangemode", "tozero"}, {"dtick", 2}}},
              {"annotations", resize_labels(timeline)},
              {"shapes", resize_lines(timeline)},
              {"showlegend", false}}}};
}

Json hosts_chart(const Timeline& timeline) {
    const auto stays = host_stays(timeline);
    const auto trace = [&](const char* name, const char* colour, auto begin, auto end) {
        Json hosts = Json::array(), bases = Json::array(), lengths = Json::array();
        for (const auto& stay : stays) {
            hosts.push_back(stay.host);
            bases.push_back(begin(stay));
            lengths.push_back(std::max(0.0, end(stay) - begin(stay)));
        }
        return Json{{"type", "bar"},
                    {"orientation", "h"},
                    {"name", name},
                    {"y", hosts},
                    {"base", bases},
                    {"x", lengths},
                    {"marker", {{"color", colour}}},
                    {"hovertemplate", std::string("%{y}: ") + name +
                                          " from %{base:.2f} s, for %{x:.2f} s<extra></extra>"}};
    };
    return {{"data", Json::array({trace(
                                      "being started", starting_colour,
                                      [](const HostStay& stay) { return stay.starting_s; },
                                      [](const HostStay& stay) { return stay.from_s; }),
                                  trace(
                                      "computing", member_colour,
                                      [](const HostStay& stay) { return stay.from_s; },
                                      [](const HostStay& stay) { return stay.to_s; })})},
            {"layout",
             {{"barmode", "overlay"},
              {"bargap", 0.35},
              {"legend", {{"orientation", "h"}, {"y", 1.02}, {"yanchor", "bottom"}}},
              {"xaxis", time_axis(timeline)},
              {"yaxis", {{"autorange", "reversed"}, {"automargin", true}, {"type", "category"}}}}}};
}

Json iteration_chart(const Timeline& timeline) {
    Json x = Json::array(), y = Json::array(), ranks = Json::array();
    for (const auto& time : iteration_times(timeline)) {
        x.push_back(time.at_s);
        y.push_back(time.seconds * 1e3);
        ranks.push_back(time.ranks);
    }
    Json trace{{"type", "scatter"},
               {"mode", "lines+markers"},
               {"x", x},
               {"y", y},
               {"customdata", ranks},
               {"marker", {{"size", 5}}},
               {"line", {{"color", "#c94f8a"}, {"width", 2}}},
               {"hovertemplate",
                "%{x:.1f} s: %{y:.2f} ms an iteration, %{customdata} ranks<extra></extra>"}};
    return {{"data", Json::array({trace})},
            {"layout",
             {{"xaxis", time_axis(timeline)},
              {"yaxis", {{"title", {{"text", "ms an iteration"}}}, {"rangemode", "tozero"}}},
              {"annotations", resize_labels(timeline)},
              {"shapes", resize_lines(timeline)},
              {"showlegend", false}}}};
}

Json phases_chart(const Timeline& timeline) {
    return stacked_bars(timeline, phases_of);
}

Json waits_chart(const Timeline& timeline) {
    return stacked_bars(timeline, waits_of);
}

}  // namespace ductile::report
