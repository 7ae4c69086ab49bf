#include "data/partition_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/overloaded.hpp"
#include "ductile/error.hpp"

namespace ductile::data {

namespace {

using Json = nlohmann::json;
using plan::Partition;

Json ranges_to_json(const std::vector<std::vector<Range>>& by_part) {
    Json parts = Json::array();
    for (const auto& ranges : by_part) {
        auto& part = parts.emplace_back(Json::array());
        for (const auto& range : ranges) part.push_back({range.begin, range.end});
    }
    return parts;
}

std::vector<std::vector<Range>> ranges_from_json(const Json& parts) {
    std::vector<std::vector<Range>> by_part;
    for (const auto& ranges : parts) {
        auto& part = by_part.emplace_back();
        for (const auto& range : ranges) part.push_back({range.at(0), range.at(1)});
    }
    return by_part;
}

Json grid_to_json(const plan::partition::Grid& grid) {
    Json extents = Json::array(), parts = Json::array();
    for (const auto& dimension : grid.dimensions) {
        extents.push_back(dimension.elements);
        parts.push_back(dimension.parts);
    }
    return {{"extents", std::move(extents)}, {"parts", std::move(parts)}};
}

int parts_in(const Json& text) {
    const int parts = text.at("parts");
    if (parts < 1) throw InputError("a partition has at least 1 part");
    return parts;
}

}  // namespace

Json partition_to_json(const Partition& partition) {
    return std::visit(
        core::Overloaded{
            [](const plan::BlockDistribution& blocks) -> Json {
                return {{"kind", "blocks"}, {"elements", blocks.elements}, {"parts", blocks.parts}};
            },
            [](const plan::partition::Weighted& blocks) -> Json {
                return {{"kind", "consecutive"}, {"begins", blocks.begins}};
            },
            [](const plan::partition::Cyclic& cyclic) -> Json {
                return {{"kind", "cyclic"},
                        {"elements", cyclic.elements},
                        {"parts", cyclic.parts},
                        {"block", cyclic.block}};
            },
            [](const plan::partition::Listed& listed) -> Json {
                return {{"kind", "listed"},
                        {"elements", listed.elements},
                        {"ranges", ranges_to_json(listed.by_part)}};
            },
            [](const plan::partition::Grid& grid) -> Json {
                auto json = grid_to_json(grid);
                json["kind"] = "grid";
                return json;
            }},
        partition.shape());
}

Partition partition_from_json(const Json& text) {
    const std::string kind = text.at("kind");
    if (kind == "blocks") return plan::BlockDistribution{text.at("elements"), parts_in(text)};
    if (kind == "consecutive") return Partition::consecutive(text.at("begins"));
    if (kind == "cyclic")
        return Partition::cyclic(text.at("elements"), parts_in(text), text.at("block"));
    if (kind == "listed")
        return Partition::listed(text.at("elements"), ranges_from_json(text.at("ranges")));
    if (kind == "grid") return Partition::grid(text.at("extents"), text.at("parts"));
    throw InputError("a partition of the unknown kind '" + kind + "'");
}

}  // namespace ductile::data
