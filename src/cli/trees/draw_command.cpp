#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>

#include "cli/argument_checks.hpp"
#include "cli/command_line.hpp"
#include "cli/trees/member_list.hpp"
#include "cli/trees/trees_command.hpp"
#include "ductile/error.hpp"
#include "report/tree_drawing.hpp"
#include "sim/group_build.hpp"
#include "sim/staged_build.hpp"

namespace ductile::cli {

namespace {

constexpr int max_processes = 4096, max_branching = 64;

struct DrawOptions {
    int n = 32, k = 3;
    std::string members;
    std::optional<double> fraction;
    unsigned seed = 1;
    std::string algorithm = "shrink_and_hash";
    std::optional<std::string> filler;
    std::string format = "text";
};

std::vector<bool> members_of(const DrawOptions& options) {
    if (!options.fraction) return members_named("--members", options.members, options.n);
    if (!(*options.fraction >= 0 && *options.fraction <= 1))
        throw InputError("--fraction is '" + std::to_string(*options.fraction) +
                         "', not a number from 0 to 1");
    const auto count = std::lround(*options.fraction * options.n);
    return sim::draw_members(options.n, std::max(1, static_cast<int>(count)), options.seed);
}

tree::Method method_of(const DrawOptions& options) {
    tree::Method method;
    method.algorithm = *tree::algorithm_named(options.algorithm);
    method.branching = options.k;
    const bool balances = method.algorithm == tree::Algorithm::shrink_and_balance;
    if (options.filler)
        method.filler = *tree::filler_named(*options.filler);
    else
        method.filler = balances ? tree::Filler::leaf : tree::Filler::none;
    if (balances && method.filler == tree::Filler::none)
        throw InputError(
            "--filler is 'none', but shrink_and_balance balances only a tree whose "
            "holes are filled: choose child or leaf");
    if (method.algorithm == tree::Algorithm::centralized && method.filler != tree::Filler::none)
        throw InputError("--filler is '" + *options.filler +
                         "', but centralized fills no holes: leave it out");
    return method;
}

void draw(const DrawOptions& options) {
    if (options.members.empty() != options.fraction.has_value())
        throw InputError(
            "a drawing needs either --members (as 0,4,7-12) or --fraction (as 0.3), not both");
    const auto build = sim::build_in_stages(method_of(options), members_of(options));
    std::cout << (options.format == "dot"   ? report::draw_dot(build)
                  : options.format == "svg" ? report::draw_svg(build)
                                            : report::draw_text(build));
}

}  // namespace

void add_trees_draw_command(CLI::App& trees, int& exit_code) {
    auto* command = trees.add_subcommand(
        "draw",
        "Draw the construction of a group, level by level: ductile trees draw --n 13 --members "
        "0,2,4,7-9");
    auto options = std::make_shared<DrawOptions>();
    command->add_option("--n", options->n, "number of processes of the parent group")
        ->check(number_from(1, max_processes))
        ->capture_default_str();
    command->add_option("--k", options->k, "maximum number of children of a process in a tree")
        ->check(number_from(2, max_branching))
        ->capture_default_str();
    command->add_option("--members", options->members, "members of the new group, such as 0,4,7-12")
        ->type_name("LIST");
    auto* fraction = command->add_option(
        "--fraction", options->fraction,
        "choose this fraction of the processes at random, always with process 0");
    command->add_option("--seed", options->seed, "seed of the random choice of members")
        ->check(number_from(0U, std::numeric_limits<unsigned>::max()))
        ->capture_default_str()
        ->needs(fraction);
    command->add_option("--algorithm", options->algorithm, "algorithm that constructs the group")
        ->check(one_of(names_of(tree::all_algorithms)))
        ->capture_default_str();
    command
        ->add_option(
            "--filler", options->filler,
            "which process takes the place of a non-member: none (the default), a child, or a leaf "
            "below it (the default of shrink_and_balance)")
        ->check(one_of(names_of(tree::all_fillers)));
    command->add_option("--format", options->format, "text, dot (Graphviz) or svg")
        ->check(one_of({"text", "dot", "svg"}))
        ->capture_default_str();
    command->callback([options, &exit_code] {
        draw(*options);
        exit_code = exit_code::ok;
    });
}

}  // namespace ductile::cli
