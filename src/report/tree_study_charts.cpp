#include "report/tree_study_charts.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/contract.hpp"
#include "sim/study_comparison.hpp"

namespace ductile::report {

namespace {

using Json = nlohmann::json;
using sim::StudyRow;
using sim::TreeStudy;
using tree::Algorithm;
using tree::Filler;

enum class Source { ours, paper };

const std::map<Algorithm, std::string> colours{{Algorithm::centralized, "#7a828e"},
                                               {Algorithm::shrink_and_balance, "#e8743b"},
                                               {Algorithm::shrink_and_hash, "#3f8fd2"}};
const std::map<Filler, std::string> filler_colours{
    {Filler::none, "#3f8fd2"}, {Filler::child, "#c94f8a"}, {Filler::leaf, "#57a55a"}};

Json or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

std::optional<double> messages_of(const StudyRow& row, Source source) {
    if (source == Source::ours) return static_cast<double>(row.messages);
    return row.paper_messages;
}

std::optional<double> time_of(const StudyRow& row, Source source) {
    if (source == Source::ours) return row.time_us;
    return row.paper_time_us;
}

Json line(const std::string& name, Source source, const std::string& colour, Json x, Json y,
          const std::string& unit) {
    const bool ours = source == Source::ours;
    return {{"type", "scatter"},
            {"mode", "lines+markers"},
            {"name", name + (ours ? "" : ", paper")},
            {"x", std::move(x)},
            {"y", std::move(y)},
            {"line",
             {{"color", colour}, {"width", ours ? 2.5 : 1.5}, {"dash", ours ? "solid" : "dash"}}},
            {"marker", {{"size", 6}, {"symbol", ours ? "circle" : "circle-open"}}},
            {"hovertemplate", "%{x}: %{y:.4~g}" + unit + "<extra>%{fullData.name}</extra>"}};
}

Json chart(Json data, Json xaxis, Json yaxis) {
    return {{"data", std::move(data)},
            {"layout",
             {{"legend", {{"orientation", "h"}, {"y", 1.02}, {"yanchor", "bottom"}}},
              {"xaxis", std::move(xaxis)},
              {"yaxis", std::move(yaxis)}}}};
}

Json titled(const std::string& title) {
    return {{"title", {{"text", title}}}};
}

Json fraction_axis() {
    auto axis = titled("fraction of the parent group that takes part");
    axis["type"] = "category";
    return axis;
}

/// For each algorithm, a value by fraction at one size of the parent group: our value and that of
/// balanced-spanning-trees.
template <class ValueOf>
Json by_fraction(const TreeStudy& study, const std::vector<Algorithm>& algorithms,
                 const std::string& unit, const ValueOf& value_of) {
    const int n = figure_processes(study);
    Json data = Json::array();
    for (const auto algorithm : algorithms) {
        for (const auto source : {Source::ours, Source::paper}) {
            Json x = Json::array(), y = Json::array();
            for (const double fraction : sim::fractions_of(study.rows)) {
                const auto row_of = [&](Algorithm a) {
                    return sim::find_row(study.rows, fraction, a, sim::printed_filler(a), n);
                };
                const auto* row = row_of(algorithm);
                const auto* reference = row_of(Algorithm::centralized);
                if (row == nullptr || reference == nullptr) continue;
                x.push_back(fmt::format("{}", fraction));
                y.push_back(or_null(value_of(*row, *reference, source)));
            }
            data.push_back(line(std::string(to_string(algorithm)), source, colours.at(algorithm),
                                std::move(x), std::move(y), unit));
        }
    }
    return data;
}

std::optional<double> ratio(const std::optional<double>& value,
                            const std::optional<double>& reference) {
    if (!value || !reference) return std::nullopt;
    return *value / *reference;
}

const std::vector distributed{Algorithm::shrink_and_balance, Algorithm::shrink_and_hash};

}  // namespace

int figure_processes(const TreeStudy& study) {
    DUCTILE_EXPECT(!study.rows.empty());
    constexpr int printed = 65536;
    int largest = 0;
    for (const int n : sim::sizes_of(study.rows))
        if (n <= printed) largest = n;
    return largest;
}

Json messages_chart(const TreeStudy& study) {
    auto yaxis = titled("messages / centralized");
    yaxis["rangemode"] = "tozero";
    return chart(by_fraction(study, distributed, "",
                             [](auto& row, auto& reference, Source source) {
                                 return ratio(messages_of(row, source),
                                              messages_of(reference, source));
                             }),
                 fraction_axis(), std::move(yaxis));
}

Json fillers_chart(const TreeStudy& study, double fraction) {
    Json data = Json::array();
    const auto add = [&](Filler filler, Source source) {
        Json x = Json::array(), y = Json::array();
        for (const int n : sim::sizes_of(study.rows)) {
            const auto* row =
                sim::find_row(study.rows, fraction, Algorithm::shrink_and_hash, filler, n);
            if (row == nullptr) continue;
            x.push_back(fmt::format("{}k", n / 1024));
            y.push_back(or_null(time_of(*row, source)));
        }
        data.push_back(line(fmt::format("filler {}", to_string(filler)), source,
                            filler_colours.at(filler), std::move(x), std::move(y), " µs"));
    };
    for (const auto filler : tree::all_fillers) add(filler, Source::ours);
    add(Filler::none, Source::paper);
    auto xaxis = titled("processes of the parent group");
    xaxis["type"] = "category";
    auto yaxis = titled("µs");
    yaxis["rangemode"] = "tozero";
    return chart(std::move(data), std::move(xaxis), std::move(yaxis));
}

Json times_chart(const TreeStudy& study) {
    auto yaxis = titled("µs");
    yaxis["type"] = "log";
    return chart(
        by_fraction(study, {tree::all_algorithms.begin(), tree::all_algorithms.end()}, " µs",
                    [](auto& row, auto&, Source source) { return time_of(row, source); }),
        fraction_axis(), std::move(yaxis));
}

Json relative_times_chart(const TreeStudy& study) {
    auto yaxis = titled("time / centralized");
    yaxis["rangemode"] = "tozero";
    return chart(by_fraction(study, distributed, "",
                             [](auto& row, auto& reference, Source source) {
                                 return ratio(time_of(row, source), time_of(reference, source));
                             }),
                 fraction_axis(), std::move(yaxis));
}

}  // namespace ductile::report
