#include "common/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/machine.hpp"
#include "ductile/error.hpp"

namespace ductile::bench {

namespace {

constexpr int enough_samples = 9;

nlohmann::json to_json(const Spread& s) {
    return {{"samples", s.samples},
            {"min_s", s.min},
            {"lower_quartile_s", s.lower_quartile},
            {"median_s", s.median},
            {"upper_quartile_s", s.upper_quartile},
            {"p90_s", s.p90},
            {"max_s", s.max}};
}

nlohmann::json to_json(const Row& row) {
    nlohmann::json targets = nlohmann::json::array();
    for (const auto& t : row.targets)
        targets.push_back({{"what", t.what},
                           {"bound", t.bound == Bound::at_most ? "at most" : "at least"},
                           {"limit", t.limit},
                           {"value", t.value},
                           {"reached", t.reached()}});
    nlohmann::json json{{"case", row.name},
                        {"measure", row.measure},
                        {"ours", row.ours_median_s()},
                        {"ours_spread", to_json(spread_of(row.ours_s))},
                        {"ours_samples_s", row.ours_s},
                        {"other", nullptr},
                        {"ratio", nullptr},
                        {"other_is", row.other},
                        {"targets", targets}};
    if (row.other_s.empty()) return json;
    json["other"] = row.other_median_s();
    json["other_spread"] = to_json(spread_of(row.other_s));
    json["other_samples_s"] = row.other_s;
    json["ratio"] = row.ratio();
    return json;
}

std::string seconds(double s) {
    if (s == 0) return "-";
    if (s < 1e-6) return fmt::format("{:.3g} ns", s * 1e9);
    if (s < 1e-3) return fmt::format("{:.3g} us", s * 1e6);
    if (s < 1) return fmt::format("{:.3g} ms", s * 1e3);
    return fmt::format("{:.3g} s", s);
}

std::string median_and_quartiles(const std::vector<double>& samples) {
    const auto s = spread_of(samples);
    if (s.samples == 0) return "-";
    return fmt::format("{} [{}, {}] p90 {}", seconds(s.median), seconds(s.lower_quartile),
                       seconds(s.upper_quartile), seconds(s.p90));
}

std::string today() {
    const auto now = std::time(nullptr);
    char text[32] = {};
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace

nlohmann::json to_json(const Report& report) {
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& row : report.rows) rows.push_back(to_json(row));
    return {{"question", report.question},
            {"date", today()},
            {"rows", rows},
            {"options", report.options},
            {"machine", describe_machine()},
            {"versions", describe_versions()},
            {"details", report.details}};
}

std::string to_table(const Report& report) {
    std::size_t width = 9;
    for (const auto& row : report.rows) width = std::max(width, row.name.size());
    std::string table =
        fmt::format("{}\n\n{:<{}} {:<12} {:<48} {:<48} {:>9} {:>9}\n", report.question, "case",
                    width, "measure", "ours: median [quartiles]", "other: median [quartiles]",
                    "ours/oth.", "oth./ours");
    for (const auto& row : report.rows) {
        const auto factor = [&](double value) {
            return row.other_s.empty() ? std::string("-") : fmt::format("{:.3g}", value);
        };
        table +=
            fmt::format("{:<{}} {:<12} {:<48} {:<48} {:>9} {:>9}\n", row.name, width, row.measure,
                        median_and_quartiles(row.ours_s), median_and_quartiles(row.other_s),
                        factor(row.ratio()), factor(row.speedup()));
        for (const auto& t : row.targets)
            table += fmt::format("{:22} {} {} {:.3g}: {:.3g}, {}\n", "", t.what,
                                 t.bound == Bound::at_most ? "at most" : "at least", t.limit,
                                 t.value, t.reached() ? "reached" : "NOT REACHED");
        if (spread_of(row.ours_s).samples < enough_samples)
            table +=
                fmt::format("{:22} fewer than {} samples: no measurement\n", "", enough_samples);
    }
    return table;
}

void publish(const Report& report, const Options& options) {
    std::fputs(to_table(report).c_str(), stdout);
    if (options.json.empty()) return;
    std::ofstream file(options.json);
    file << to_json(report).dump(2) << '\n';
    if (!file.flush()) throw SystemError("cannot write the result to " + options.json);
}

}  // namespace ductile::bench
