#include "cli/trees/study_records.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "sim/table_ii.hpp"

namespace ductile::cli {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<int>& value) {
    return value ? Json(*value) : Json(nullptr);
}

std::string or_empty(const std::optional<int>& value) {
    return value ? std::to_string(*value) : "";
}

}  // namespace

Json study_json(const sim::TreeStudy& study, unsigned seed) {
    Json rows = Json::array();
    for (const auto& row : study.rows)
        rows.push_back({{"algorithm", tree::to_string(row.algorithm)},
                        {"filler", tree::to_string(row.filler)},
                        {"n", row.n},
                        {"m", row.m},
                        {"fraction", row.fraction},
                        {"messages", row.messages},
                        {"time_us", row.time_us},
                        {"height", row.height},
                        {"paper_messages", or_null(row.paper_messages)},
                        {"paper_time_us", or_null(row.paper_time_us)}});
    return {{"rows", std::move(rows)},
            {"costs",
             {{"latency_us", study.costs.latency_us},
              {"overhead_us", study.costs.overhead_us},
              {"per_byte_us", study.costs.per_byte_us}}},
            {"seed", seed},
            {"branching", sim::table_ii_branching}};
}

std::string study_csv(const sim::TreeStudy& study) {
    std::string csv =
        "algorithm,filler,n,m,fraction,messages,time_us,height,paper_messages,paper_time_us\n";
    for (const auto& row : study.rows)
        csv += fmt::format("{},{},{},{},{},{},{:.6g},{},{},{}\n", tree::to_string(row.algorithm),
                           tree::to_string(row.filler), row.n, row.m, row.fraction, row.messages,
                           row.time_us, row.height, or_empty(row.paper_messages),
                           or_empty(row.paper_time_us));
    return csv;
}

}  // namespace ductile::cli
