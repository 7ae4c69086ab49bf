#include "cli/plan.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/argument_checks.hpp"
#include "cli/command_line.hpp"
#include "cli/plan_explain.hpp"
#include "cli/plan_json.hpp"
#include "core/counted.hpp"
#include "core/size_range.hpp"
#include "ductile/error.hpp"
#include "plan/plan_table.hpp"
#include "plan/shrink_plan.hpp"
#include "plan/start_dot.hpp"
#include "plan/start_plan.hpp"

namespace ductile::cli {

namespace {

constexpr int max_hosts = 4096, max_ranks_a_host = 4096;

struct Options {
    std::string from, to;
    std::vector<int> allocation, running;
    std::optional<core::SizeRange> ranks;  ///< none: as many as the allocation holds
    std::string start, method;             ///< empty: launch and merge; with `explain`: any
    std::string shrink;                    ///< empty: ts
    std::optional<std::string> dot;        ///< which picture; none: no picture; empty: all
    bool json = false;
    bool explain = false;
    std::string costs;
};

/// The resize to plan.
struct Wish {
    core::Layout now;
    core::Allocation allocation;
    int target = 0;
};

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
        shape.hosts > max_hosts || shape.per_host < 1 || shape.per_host > max_ranks_a_host)
        throw InputError(option + " is '" + text +
                         "', not HOSTSxRANKS with each from 1 to 4096 (as 4x2)");
    return shape;
}

std::string host_name(std::size_t i) {
    return "host" + std::to_string(i);
}

// One group over all hosts that run ranks, as at the start of a job.
core::Layout layout_of(const std::vector<int>& running) {
    core::Layout layout;
    int first = 0;
    for (std::size_t i = 0; i < running.size(); ++i) {
        if (running[i] == 0) continue;
        layout.active.push_back({core::GroupId{0}, core::HostIndex{static_cast<int>(i)},
                                 core::Rank{first}, running[i]});
        first += running[i];
    }
    return layout;
}

Wish wish_by_shapes(const Options& options) {
    const auto from = parse_shape("--from", options.from);
    const auto to = parse_shape("--to", options.to);
    Wish wish;
    for (int i = 0; i < std::max(from.hosts, to.hosts); ++i)
        wish.allocation.hosts.push_back(
            {host_name(static_cast<std::size_t>(i)), std::max(from.per_host, to.per_host)});
    wish.now = layout_of(std::vector<int>(static_cast<std::size_t>(from.hosts), from.per_host));
    wish.target = to.hosts * to.per_host;
    return wish;
}

std::vector<int> counts_in(const std::string& option, const std::string& text) {
    std::vector<int> counts;
    std::istringstream words(text + ",");
    for (std::string word; std::getline(words, word, ',');) {
        int n = -1;
        const char* end = word.data() + word.size();
        const auto read = std::from_chars(word.data(), end, n);
        if (read.ec != std::errc() || read.ptr != end || n < 0 || n > max_ranks_a_host)
            throw InputError(option + " holds '" + word +
                             "', not numbers from 0 to 4096, one for each host (as 4,2,8)");
        counts.push_back(n);
    }
    if (counts.size() > static_cast<std::size_t>(max_hosts))
        throw InputError(option + " names more than 4096 hosts");
    return counts;
}

// The size that a resize chooses from a range: the largest size for which there are enough slots,
// or the smallest size of the range if there are too few. If the present size is in the range, the
// job does not shrink.
int size_in(const core::SizeRange& range, int present, int slots) {
    const int largest = std::clamp(slots, range.lower, range.upper);
    return range.holds(present) ? std::max(present, largest) : largest;
}

Wish wish_by_vectors(const Options& options) {
    if (options.running.size() > options.allocation.size())
        throw InputError("--running names " + std::to_string(options.running.size()) +
                         " hosts, --allocation " + std::to_string(options.allocation.size()));
    for (std::size_t host = 0; host < options.running.size(); ++host)
        if (options.running[host] > options.allocation[host])
            throw InputError(fmt::format("--running has {} on {}, --allocation {}",
                                         core::counted(options.running[host], "rank"),
                                         host_name(host),
                                         core::counted(options.allocation[host], "slot")));
    Wish wish;
    for (const int slots : options.allocation)
        wish.allocation.hosts.push_back({host_name(wish.allocation.hosts.size()), slots});
    wish.now = layout_of(options.running);
    if (wish.now.empty()) throw InputError("--running has no ranks, so there is no job to resize");
    const int slots = wish.allocation.total_slots();
    wish.target = options.ranks ? size_in(*options.ranks, wish.now.size(), slots) : slots;
    return wish;
}

Wish wish_of(const Options& options) {
    const bool shapes = !options.from.empty() && !options.to.empty();
    const bool vectors = !options.allocation.empty() && !options.running.empty();
    const bool no_shape = options.from.empty() && options.to.empty();
    const bool no_vector = options.allocation.empty() && options.running.empty();
    if (shapes && options.ranks) throw InputError("--ranks goes with --allocation, not --to");
    if (!(shapes && no_vector) && !(vectors && no_shape))
        throw InputError(
            "a plan needs either --from and --to (as 1x2 and 4x2), or --allocation and --running "
            "(as 2,2,2 and 2,0,0)");
    return shapes ? wish_by_shapes(options) : wish_by_vectors(options);
}

constexpr std::array pictures{"starts", "synchronisation", "connections"};

std::string dot_of(const plan::StartPlan& made, const core::Layout& now, const std::string& what) {
    if (what == pictures[0]) return plan::dot_of_starts(made, now);
    if (what == pictures[1]) return plan::dot_of_synchronisation(made, now);
    if (what == pictures[2]) return plan::dot_of_connections(made);
    std::string all;
    for (const auto* picture : pictures) all += dot_of(made, now, picture);
    return all;
}

void expect_picture(const std::string& name) {
    if (!name.empty() && std::find(pictures.begin(), pictures.end(), name) == pictures.end())
        throw InputError("--dot is '" + name + "', not starts, synchronisation or connections");
}

void print_start(const Wish& wish, const Options& options) {
    const auto planned =
        plan::plan_start(wish.now, wish.allocation,
                         {*plan::method_named(options.method), *plan::start_named(options.start),
                          wish.target, core::GroupId{1}});
    if (const auto* refusal = std::get_if<plan::ExpandRefusal>(&planned))
        throw InputError(refusal->reason);
    const auto& made = std::get<plan::StartPlan>(planned);
    if (options.dot)
        std::cout << dot_of(made, wish.now, *options.dot);
    else if (options.json)
        std::cout << to_json(made, wish.now).dump(2) << "\n";
    else
        std::cout << plan::to_table(made, wish.now, wish.allocation);
}

void print_shrink(const Wish& wish, const Options& options) {
    const auto kind = plan::shrink_kind_named(options.shrink).value_or(plan::ShrinkKind::ts);
    const auto planned = plan::plan_shrink(wish.now, wish.target, kind);
    if (const auto* refusal = std::get_if<plan::ShrinkRefusal>(&planned))
        throw InputError(refusal->reason);
    if (options.dot) throw InputError("--dot draws how groups start, and a shrink starts no group");
    const auto& made = std::get<plan::ShrinkPlan>(planned);
    std::cout << (options.json ? to_json(made, wish.now).dump(2) + "\n"
                               : plan::to_table(made, wish.now, wish.allocation));
}

void print_plan(const Options& options) {
    if (options.dot) expect_picture(*options.dot);
    const auto wish = wish_of(options);
    if (options.explain) {
        std::cout << explain({wish.now, wish.allocation, wish.target,
                              plan::method_named(options.method), plan::start_named(options.start),
                              options.costs, options.json});
        return;
    }
    const bool merge = options.method == "merge";
    if (!options.shrink.empty() && (!merge || wish.target >= wish.now.size()))
        throw InputError(
            "--shrink applies only to a shrink with --method merge, and this plan is not one");
    if (merge && wish.target == wish.now.size())
        throw InputError("there is nothing to plan: the job has a size of " +
                         std::to_string(wish.target) + " already");
    if (merge && wish.target < wish.now.size())
        print_shrink(wish, options);
    else
        print_start(wish, options);
}

}  // namespace

void add_plan_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand(
        "plan",
        "Show the plan of a resize, without a job: ductile plan --from 1x2 --to 4x2\n"
        "1x2: 1 host with 2 ranks");
    auto options = std::make_shared<Options>();
    command->add_option("--from", options->from, "before the resize: H hosts with R ranks each")
        ->type_name("HxR");
    command
        ->add_option("--to", options->to,
                     "new size: H times R ranks. Each host has as many slots as the larger R of "
                     "--from and --to")
        ->type_name("HxR");
    const auto counts = [command](const char* name, const char* help, std::vector<int>& values) {
        return command->add_option_function<std::string>(
            name, [name, &values](const std::string& text) { values = counts_in(name, text); },
            help);
    };
    counts("--allocation", "slots of each host", options->allocation)->type_name("A0,A1,...");
    counts("--running", "running ranks of each host", options->running)->type_name("R0,R1,...");
    command
        ->add_option_function<std::string>(
            "--ranks",
            [options](const std::string& text) {
                options->ranks =
                    core::parse_size_range("--ranks", text, max_hosts * max_ranks_a_host);
            },
            "size after the resize, or a range of sizes as for resize (default: all slots of "
            "--allocation)")
        ->type_name("N|A:B");
    command->add_option("--start", options->start, "how new ranks are started (default: launch)")
        ->check(one_of(names_of(plan::all_starts)));
    command
        ->add_option("--method", options->method,
                     "merge (default): old ranks stay; baseline: all ranks are started afresh")
        ->check(one_of(names_of(plan::all_methods)));
    command
        ->add_option("--shrink", options->shrink,
                     "whether leaving ranks end (ts, the default) or park (park)")
        ->check(one_of(names_of(plan::all_shrink_kinds)));
    auto* json = command->add_flag("--json", options->json, "print JSON");
    auto* dot =
        command
            ->add_option_function<std::string>(
                "--dot", [options](const std::string& name) { options->dot = name; },
                "print pictures in the DOT language of Graphviz: starts, synchronisation or "
                "connections "
                "(without a name: all three)")
            ->expected(0, 1)
            ->type_name("[PICTURE]")
            ->excludes(json);
    command
        ->add_flag("--explain", options->explain,
                   "print the cost of each method and start, and what --method auto chooses")
        ->excludes(dot);
    command
        ->add_option("--costs", options->costs,
                     "with --explain: file of costs to use, instead of the file that `ductile "
                     "calibrate` writes for this user")
        ->type_name("FILE");
    command->callback([options, dot, &exit_code] {
        if (dot->count() > 0 && !options->dot) options->dot.emplace();
        if (!options->explain && !options->costs.empty())
            throw InputError("--costs goes with --explain");
        if (options->method.empty() && !options->explain) options->method = "merge";
        if (options->start.empty() && !options->explain) options->start = "launch";
        print_plan(*options);
        exit_code = exit_code::ok;
    });
}

}  // namespace ductile::cli
