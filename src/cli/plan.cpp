#include "cli/plan.hpp"

#include <charconv>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_line.hpp"
#include "ductile/error.hpp"
#include "plan/launch_plan.hpp"
#include "plan/plan_table.hpp"
#include "plan/rank_order.hpp"
#include "plan/shrink_plan.hpp"

namespace ductile::cli {

namespace {

using Json = nlohmann::json;

struct Shape {
    int hosts = 0;
    int per_host = 0;
};

// "4x2": 4 hosts with 2 ranks each.
Shape parse_shape(const std::string& option, const std::string& text) {
    Shape shape;
    const char* end = text.data() + text.size();
    const auto hosts = std::from_chars(text.data(), end, shape.hosts);
    const bool split = hosts.ec == std::errc() && hosts.ptr != end && *hosts.ptr == 'x';
    const auto ranks = split ? std::from_chars(hosts.ptr + 1, end, shape.per_host) : hosts;
    if (!split || ranks.ec != std::errc() || ranks.ptr != end || shape.hosts < 1 ||
        shape.hosts > 4096 || shape.per_host < 1 || shape.per_host > 4096)
        throw InputError(option + " is '" + text +
                         "', not HOSTSxRANKS with each from 1 to 4096 (as 4x2)");
    return shape;
}

Json to_json(const std::vector<core::Group>& groups) {
    Json list = Json::array();
    for (const auto& g : groups)
        list.push_back({{"id", g.id.value}, {"host", g.host.value}, {"ranks", g.ranks}});
    return list;
}

Json to_json(const plan::LaunchPlan& launch, const core::Layout& before) {
    Json groups = Json::array();
    for (const auto& g : launch.added)
        groups.push_back(
            {{"id", g.id.value},
             {"host", g.host.value},
             {"ranks", g.ranks},
             {"first_rank", plan::final_rank(before, launch.added, g.id, core::Rank{0}).value}});
    Json rounds = Json::array();
    for (const auto& m : launch.rounds.meetings)
        rounds.push_back(
            {{"round", m.round},
             {"accepts", launch.added[static_cast<std::size_t>(m.acceptor)].id.value},
             {"connects", launch.added[static_cast<std::size_t>(m.connector)].id.value}});
    return {{"kind", "expand"},
            {"before", to_json(before.groups)},
            {"added", groups},
            {"rounds", rounds},
            {"after", to_json(before.with(launch.added).groups)}};
}

Json to_json(const plan::ShrinkPlan& shrink, const core::Layout& before) {
    Json leaving = Json::array();
    for (const auto id : shrink.leaving) leaving.push_back(id.value);
    return {{"kind", "shrink"},
            {"before", to_json(before.groups)},
            {"leaving", leaving},
            {"after", to_json(shrink.after.groups)}};
}

void print_plan(const std::string& from_text, const std::string& to_text, bool json) {
    const auto from = parse_shape("--from", from_text);
    const auto to = parse_shape("--to", to_text);
    core::Allocation allocation;
    for (int i = 0; i < std::max(from.hosts, to.hosts); ++i)
        allocation.hosts.push_back(
            {"host" + std::to_string(i), std::max(from.per_host, to.per_host)});
    core::Layout layout;
    for (int i = 0; i < from.hosts; ++i)
        layout.groups.push_back({core::GroupId{i}, core::HostIndex{i}, from.per_host});
    const int target = to.hosts * to.per_host;
    const auto print = [&](const auto& made) {
        std::cout << (json ? to_json(made, layout).dump(2) + "\n"
                           : plan::to_table(made, layout, allocation));
    };
    if (target > layout.size()) {
        const auto planned =
            plan::plan_launch(layout, allocation, target, core::GroupId{from.hosts});
        if (const auto* refusal = std::get_if<plan::ExpandRefusal>(&planned))
            throw InputError(refusal->reason);
        print(std::get<plan::LaunchPlan>(planned));
    } else {
        const auto planned = plan::plan_shrink(layout, target);
        if (const auto* refusal = std::get_if<plan::ShrinkRefusal>(&planned))
            throw InputError(refusal->reason);
        print(std::get<plan::ShrinkPlan>(planned));
    }
}

}  // namespace

void add_plan_command(CLI::App& app, int& exit_code) {
    struct Options {
        std::string from, to;
        bool json = false;
    };
    auto* command = app.add_subcommand(
        "plan", "Show how a job would be resized: ductile plan --from 1x2 --to 4x2");
    auto options = std::make_shared<Options>();
    command->add_option("--from", options->from, "hosts x ranks a host, before")
        ->required()
        ->type_name("HxR");
    command->add_option("--to", options->to, "hosts x ranks a host, after")
        ->required()
        ->type_name("HxR");
    command->add_flag("--json", options->json, "as JSON");
    command->callback([options, &exit_code] {
        print_plan(options->from, options->to, options->json);
        exit_code = exit_code::ok;
    });
}

}  // namespace ductile::cli
