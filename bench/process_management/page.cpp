#include "process_management/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "report/html.hpp"

namespace ductile::bench {

namespace {

using Json = nlohmann::json;

/// How many strategies a square of a map names; the others are counted.
constexpr std::size_t named_in_a_square = 3;

struct Words {
    std::string method, start, overlap;
};

Words words_of(const std::string& strategy) {
    Words words;
    std::istringstream(strategy) >> words.method >> words.start >> words.overlap;
    return words;
}

// "merge launch background" gives "M launch bg"; a shrink by merge, which starts nothing, "M
// leave".
std::string short_name(const std::string& strategy) {
    const auto words = words_of(strategy);
    const std::string method = words.method == "merge" ? "M " : "B ";
    if (words.start == "-") return method + "leave";
    return method + words.start + (words.overlap == "background" ? " bg" : "");
}

// One colour for each start; paler in the background, greyer for baseline.
std::string colour_of(const std::string& strategy) {
    static const std::map<std::string, int> hues{{"-", 150},         {"collective", 210},
                                                 {"single", 265},    {"hypercube", 25},
                                                 {"diffusive", 345}, {"launch", 95}};
    const auto words = words_of(strategy);
    const int lightness = words.overlap == "background" ? 68 : 48;
    const int saturation = words.method == "merge" ? 55 : 25;
    return fmt::format("hsl({},{}%,{}%)", hues.at(words.start), saturation, lightness);
}

std::vector<std::string> strategies_in(const std::vector<Cell>& cells) {
    std::vector<std::string> strategies;
    for (const auto& cell : cells)
        if (std::ranges::find(strategies, cell.strategy) == strategies.end())
            strategies.push_back(cell.strategy);
    return strategies;
}

std::vector<int> sizes_in(const std::vector<Cell>& cells) {
    std::set<int> sizes;
    for (const auto& cell : cells) sizes.insert({cell.from, cell.to});
    return {sizes.begin(), sizes.end()};
}

std::vector<std::string> as_names(const std::vector<int>& sizes) {
    std::vector<std::string> names;
    for (const int size : sizes) names.push_back(std::to_string(size));
    return names;
}

std::string in_a_square(const std::vector<std::string>& best) {
    std::string text;
    for (std::size_t i = 0; i < std::min(best.size(), named_in_a_square); ++i)
        text += (i > 0 ? "<br>" : "") + short_name(best[i]);
    if (best.size() > named_in_a_square)
        text += fmt::format("<br>+{}", best.size() - named_in_a_square);
    return text;
}

// Rows: sources; columns: targets. Above the diagonal growths, below it shrinks.
Json map_chart(const std::vector<Cell>& cells, double Sample::*measure) {
    const auto sizes = sizes_in(cells);
    const auto pairs = by_pair(cells);
    std::vector<std::string> colours;
    Json z = Json::array(), hover = Json::array(), labels = Json::array();  // a square: [0, n)
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const int from = sizes[i];
        Json row = Json::array(), row_hover = Json::array();
        for (std::size_t j = 0; j < sizes.size(); ++j) {
            const int to = sizes[j];
            const auto found = pairs.find({from, to});
            if (found == pairs.end()) {
                row.push_back(nullptr);
                row_hover.push_back("");
                continue;
            }
            const auto best = best_of(found->second, measure);
            row.push_back(static_cast<double>(colours.size()) + 0.5);
            colours.push_back(colour_of(best.front()));
            row_hover.push_back(fmt::format("{}", fmt::join(best, "<br>")));
            labels.push_back({{"x", j},  // by number: "2" would be the third place
                              {"y", i},
                              {"text", in_a_square(best)},
                              {"showarrow", false},
                              {"font", {{"size", 11}, {"color", "#101418"}}}});
        }
        z.push_back(row);
        hover.push_back(row_hover);
    }
    Json scale = Json::array();
    const auto n = static_cast<double>(colours.size());
    for (std::size_t i = 0; i < colours.size(); ++i) {
        scale.push_back(Json::array({static_cast<double>(i) / n, colours[i]}));
        scale.push_back(Json::array({static_cast<double>(i + 1) / n, colours[i]}));
    }
    const auto names = as_names(sizes);
    return {{"data", Json::array({{{"type", "heatmap"},
                                   {"x", names},
                                   {"y", names},
                                   {"z", z},
                                   {"zmin", 0},
                                   {"zmax", n},
                                   {"text", hover},
                                   {"hovertemplate", "%{y} → %{x}<br>%{text}<extra></extra>"},
                                   {"colorscale", scale},
                                   {"showscale", false},
                                   {"xgap", 3},
                                   {"ygap", 3}}})},
            {"layout",
             {{"annotations", labels},
              {"xaxis", {{"title", {{"text", "to ranks"}}}, {"type", "category"}}},
              {"yaxis",
               {{"title", {{"text", "from ranks"}}},
                {"type", "category"},
                {"autorange", "reversed"}}}}}};
}

struct Bars {
    std::string unit;
    double scale = 1;
    bool logarithmic = false;
};

// A group of bars for each pair of sizes, a colour for each strategy; only of cells for which
// `takes` returns true.
template <class Takes, class Value>
Json bar_chart(const std::vector<Cell>& cells, const Bars& bars, const Takes& takes,
               const Value& value) {
    Json data = Json::array();
    for (const auto& strategy : strategies_in(cells)) {
        Json x = Json::array(), y = Json::array();
        for (const auto& [pair, of_pair] : by_pair(cells))
            for (const auto* cell : of_pair)
                if (cell->strategy == strategy && takes(*cell)) {
                    x.push_back(fmt::format("{}→{}", pair.first, pair.second));
                    y.push_back(value(*cell) * bars.scale);
                }
        if (x.empty()) continue;
        data.push_back({{"type", "bar"},
                        {"name", short_name(strategy)},
                        {"x", x},
                        {"y", y},
                        {"marker", {{"color", colour_of(strategy)}}},
                        {"hovertemplate",
                         "%{x}<br>" + strategy + ": %{y:.3g} " + bars.unit + "<extra></extra>"}});
    }
    return {{"data", data},
            {"layout",
             {{"barmode", "group"},
              {"legend", {{"orientation", "h"}, {"y", 1.02}, {"yanchor", "bottom"}}},
              {"xaxis", {{"type", "category"}}},
              {"yaxis",
               {{"title", {{"text", bars.unit}}},
                {"type", bars.logarithmic ? "log" : "linear"},
                {"rangemode", "tozero"}}}}}};
}

bool grows(const Cell& cell) {
    return cell.to > cell.from;
}

std::string table_of(const std::vector<Cell>& cells) {
    std::string table =
        "<table><tr><th>resize</th><th>way</th><th>samples</th><th>total</th><th>spawn</th>"
        "<th>connect</th><th>join</th><th>stall</th><th>lost</th><th>iterations</th>"
        "<th>omega</th><th>alpha</th></tr>";
    for (const auto& [pair, of_pair] : by_pair(cells))
        for (const auto* cell : of_pair) {
            table +=
                fmt::format("<tr><td>{} → {}</td><td>{}</td><td>{}</td>", pair.first, pair.second,
                            report::escape_html(cell->strategy), cell->samples.size());
            for (const auto part : {&Sample::total_s, &Sample::spawn_s, &Sample::connect_s,
                                    &Sample::join_s, &Sample::stall_s, &Sample::lost_s})
                table += fmt::format("<td>{:.1f}</td>", cell->median(part) * 1e3);
            const double iterations = cell->median(&Sample::overlapped);
            const double alpha = alpha_of(*cell, cells);
            table += fmt::format(
                "<td>{:.0f}</td><td>{}</td><td>{}</td></tr>", iterations,
                iterations > 0 ? fmt::format("{:.2f}", cell->median(&Sample::omega)) : "–",
                alpha > 0 ? fmt::format("{:.2f}", alpha) : "–");
        }
    return table + "</table>";
}

std::string facts_of(const Json& report) {
    std::string rows;
    const auto add = [&rows](const std::string& what, const Json& value) {
        rows += fmt::format(
            "<tr><td>{}</td><td>{}</td></tr>", report::escape_html(what),
            report::escape_html(value.is_string() ? value.get<std::string>() : value.dump()));
    };
    for (const char* what : {"hosts", "number_of_hosts", "per_host", "repeat"})
        if (report.contains(what)) add(what, report.at(what));
    for (const char* part : {"machine", "versions"})
        if (report.contains(part))
            for (const auto& [what, value] : report.at(part).items()) add(what, value);
    return "<table class=\"facts\">" + rows + "</table>";
}

std::string section(const std::string& title, const std::string& text, const std::string& id) {
    return "<section><h2>" + title + "</h2><p>" + text + "</p><div class=\"chart tall\" id=\"" +
           id + "\"></div></section>\n";
}

}  // namespace

std::string render_page(const std::vector<Cell>& cells, const Json& report,
                        const std::string& library) {
    const auto ms = [](double Sample::*measure) {
        return [measure](const Cell& cell) { return cell.median(measure); };
    };
    const auto overlaps = [](const Cell& cell) {
        return grows(cell) && cell.median(&Sample::overlapped) > 0;
    };
    const auto shrinks = [](const Cell& cell) { return !grows(cell); };
    const auto alpha = [&cells](const Cell& cell) { return alpha_of(cell, cells); };
    const auto has_alpha = [&alpha](const Cell& cell) { return alpha(cell) > 0; };
    const Bars milliseconds{"ms", 1e3, true};
    const Json charts{
        {"map_lost", map_chart(cells, &Sample::lost_s)},
        {"map_total", map_chart(cells, &Sample::total_s)},
        {"grow_total", bar_chart(cells, milliseconds, grows, ms(&Sample::total_s))},
        {"grow_lost", bar_chart(cells, milliseconds, grows, ms(&Sample::lost_s))},
        {"shrink_total", bar_chart(cells, milliseconds, shrinks, ms(&Sample::total_s))},
        {"omega", bar_chart(cells, {"omega"}, overlaps, ms(&Sample::omega))},
        {"alpha", bar_chart(cells, {"alpha"}, has_alpha, alpha)}};
    const std::string body =
        "<header><h1>Every way to grow and to shrink</h1><p class=\"lead\">Each way - method, "
        "start and overlap - was measured between pairs of sizes. <b>M</b>: merge, the old ranks "
        "stay; <b>B</b>: baseline, all ranks are started afresh; <b>bg</b>: in the background, "
        "otherwise blocking; <b>leave</b>: ranks leave or park, nothing is started. Numbers are "
        "medians.</p>"
        "</header>\n" +
        section("What costs the program least",
                "The way by which the program loses the least time: the stall at the switch, plus "
                "the additional time of its iterations while the resize is prepared. Ways that a "
                "Mann-Whitney test does not tell from the best way (p &gt; 0.05) are listed, too, "
                "by rising median. The colour is that of the best way. Above the diagonal the job "
                "grows, below the diagonal it shrinks. (The view of the application in "
                "dynamic-spawning-methods, Figures 8 and 9, and in parallel-spawning-strategies, "
                "Figure 5.)",
                "map_lost") +
        section("What finishes first",
                "The same for the total, from the request to the last rank that computes again: "
                "the time that counts for a job that waits for the hosts.",
                "map_total") +
        section("Growing: the total", "From the request until the last rank computes again.",
                "grow_total") +
        section("Growing: what the program loses",
                "The stall, plus the additional time of the iterations meanwhile.", "grow_lost") +
        section("Shrinking: the total", "By ranks that leave (merge), and by the ways of baseline.",
                "shrink_total") +
        section("Omega",
                "The time of an iteration while a growth is prepared in the background over its "
                "time before (dynamic-spawning-methods, equation 6; Figure 5).",
                "omega") +
        section("Alpha",
                "The total in the background over the total of the same way blocking (equation 6; "
                "Figure 4).",
                "alpha") +
        "<section><h2>The numbers</h2><p>Medians; times in ms.</p><div class=\"wide\">" +
        table_of(cells) + "</div></section>\n<section><h2>Made with</h2><div class=\"wide\">" +
        facts_of(report) + "</div></section>\n";
    return report::html_page("Ductile: every way to grow and to shrink", body, charts, library);
}

}  // namespace ductile::bench
