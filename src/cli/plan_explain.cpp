#include "cli/plan_explain.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "broker/choose_strategy.hpp"
#include "broker/start_refusals.hpp"
#include "cli/costs_file.hpp"
#include "cli/mpi_choice.hpp"

namespace ductile::cli {

namespace {

using Json = nlohmann::json;

broker::JobView view_of(const ExplainRequest& request) {
    broker::JobView view;
    view.layout = request.now;
    view.allocation = view.living = request.allocation;
    const char* prefix = std::getenv("DUCTILE_MPI");
    view.mpi = mpi::in_a_job(choose_mpi(prefix != nullptr ? prefix : "").capabilities);
    view.costs =
        request.costs.empty() ? costs_of_this_user(view.mpi) : read_costs(request.costs, view.mpi);
    view.strategy.method = request.method.value_or(plan::Method::merge);
    view.strategy.start = request.start.value_or(broker::standard_start(view.mpi));
    view.automatic = {!request.method, !request.start, true};
    view.next_group = view.mpi_worlds_seen = request.now.groups().back().value + 1;
    return view;
}

Json to_json(const broker::Alternative& one) {
    Json json{{"method", plan::to_string(one.strategy.method)},
              {"start", plan::to_string(one.strategy.start)},
              {"overlap", plan::to_string(one.strategy.overlap)}};
    if (const auto* refused = std::get_if<broker::Refused>(&one.plan))
        json["refused"] = refused->why;
    const auto* resize = one.resize();
    if (resize == nullptr) return json;
    json["starts"] = resize->shape.started;
    if (resize->cost)
        json["cost"] = {{"spawn_s", resize->cost->spawn_s},
                        {"connect_s", resize->cost->connect_s},
                        {"switch_s", resize->cost->switch_s},
                        {"total_s", resize->cost->total_s},
                        {"lost_s", resize->cost->lost_s}};
    return json;
}

}  // namespace

std::string explain(const ExplainRequest& request) {
    broker::ResizeRequest resize;
    resize.goal = broker::NewSize{core::SizeRange::exactly(request.target)};
    const auto all = broker::alternatives(resize, view_of(request));
    const auto choice = broker::choose(all);
    if (!request.json) return broker::to_table(all, choice);
    Json json{{"chosen", choice.index}, {"why", choice.why}, {"alternatives", Json::array()}};
    for (const auto& one : all) json["alternatives"].push_back(to_json(one));
    return json.dump(2) + "\n";
}

}  // namespace ductile::cli
