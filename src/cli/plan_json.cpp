#include "cli/plan_json.hpp"

#include <nlohmann/json.hpp>

#include "plan/rank_order.hpp"

namespace ductile::cli {

namespace {

using Json = nlohmann::json;

Json group_json(const core::Group& g) {
    Json json{{"id", g.id.value}, {"host", g.host.value}, {"ranks", g.ranks}};
    if (!g.spans_hosts()) return json;
    for (const auto& share : g.shares())
        json["shares"].push_back({{"host", share.host.value}, {"ranks", share.ranks}});
    return json;
}

Json ranges_json(const std::vector<core::RankRange>& ranges) {
    Json list = Json::array();
    for (const auto& range : ranges)
        list.push_back({{"group", range.group.value},
                        {"host", range.host.value},
                        {"first", range.first.value},
                        {"ranks", range.ranks}});
    return list;
}

Json added_json(const plan::StartPlan& start) {
    Json list = Json::array();
    for (const auto& g : start.added) {
        list.push_back(group_json(g));
        list.back()["first_rank"] =
            plan::final_rank(start.kept, start.added, g.id, core::Rank{0}).value;
    }
    return list;
}

template <class Number>
Json or_null(const std::optional<Number>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json steps_json(const std::vector<plan::SpawnStep>& steps) {
    Json list = Json::array();
    for (const auto& row : steps)
        list.push_back({{"s", row.s},
                        {"t", row.t},
                        {"g", or_null(row.g)},
                        {"lambda", row.lambda},
                        {"T", row.T},
                        {"G", or_null(row.G)}});
    return list;
}

Json spawns_json(const std::vector<plan::Spawn>& spawns) {
    Json list = Json::array();
    for (const auto& spawn : spawns)
        list.push_back({{"step", spawn.step},
                        {"group", spawn.starter.value},
                        {"rank", spawn.rank.value},
                        {"starts", spawn.starts.value}});
    return list;
}

Json rounds_json(const plan::StartPlan& start) {
    const auto id = [&](int position) {
        return start.added[static_cast<std::size_t>(position)].id.value;
    };
    Json list = Json::array();
    for (const auto& m : start.rounds.connections)
        list.push_back(
            {{"round", m.round}, {"accepts", id(m.acceptor)}, {"connects", id(m.connector)}});
    return list;
}

Json together_json(const plan::StartPlan& start, const core::Layout& before) {
    const auto together = before.with(start.added);
    Json list = Json::array();
    for (const auto host : together.hosts())
        list.push_back({{"host", host.value}, {"ranks", together.ranks_on(host)}});
    return list;
}

}  // namespace

Json to_json(const plan::StartPlan& start, const core::Layout& before) {
    return {{"kind", start.method == plan::Method::merge ? "expand" : "replace"},
            {"method", to_string(start.method)},
            {"start", to_string(start.start)},
            {"before", ranges_json(before.active)},
            {"added", added_json(start)},
            {"steps", steps_json(start.steps)},
            {"spawns", spawns_json(start.spawns)},
            {"rounds", rounds_json(start)},
            {"together", together_json(start, before)},
            {"after", ranges_json(start.after().active)}};
}

Json to_json(const plan::ShrinkPlan& shrink, const core::Layout& before) {
    const auto change = core::change_between(before, shrink.after);
    return {{"kind", "shrink"},
            {"before", ranges_json(before.active)},
            {"leaving", ranges_json(change.leaving)},
            {"parking", ranges_json(change.parking)},
            {"after", ranges_json(shrink.after.active)}};
}

}  // namespace ductile::cli
