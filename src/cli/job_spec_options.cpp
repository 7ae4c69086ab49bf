#include "cli/job_spec_options.hpp"

#include <fmt/format.h>

#include "broker/start_refusals.hpp"
#include "cli/command_line.hpp"
#include "cli/costs_file.hpp"
#include "cli/output_place.hpp"
#include "cli/split_words.hpp"

namespace ductile::cli {

namespace {

broker::Limits read_limits(Settings& settings) {
    broker::Limits limits;
    limits.min = settings.number("min", 0, 1, most_ranks);
    limits.max = settings.number("max", 0, 1, most_ranks);
    limits.preferred = settings.number("preferred", 0, 1, most_ranks);
    limits.multiple = settings.number("multiple", 0, 1, most_ranks);
    const auto points = settings.number("inhibitor-points", 0, 0, 1 << 30);
    limits.inhibitor_points = {points.value, points.origin};
    limits.inhibitor_s = settings.seconds("inhibitor", 0);
    if (limits.max.value != 0 && limits.min.value > limits.max.value)
        throw InputError(fmt::format("min {} is above max {}", limits.min.value, limits.max.value));
    return limits;
}

// If Ductile chooses the method for each resize, it also chooses the start, the overlap and the
// redistribution, unless the user names them.
void read_strategy(Settings& settings, broker::JobSpec& spec) {
    const auto method = settings.choice("method", "merge", names_and_auto(plan::all_methods));
    const bool chosen = method == "auto";
    const auto start = settings.choice(
        "start", chosen ? "auto" : std::string(plan::to_string(broker::standard_start(spec.mpi))),
        names_and_auto(plan::all_starts));
    const auto overlap = settings.choice("overlap", chosen ? "auto" : "background",
                                         names_and_auto(plan::all_overlaps));
    spec.automatic = {chosen, start == "auto", overlap == "auto"};
    if (!spec.automatic.method) spec.strategy.method = *plan::method_named(method);
    if (!spec.automatic.start) spec.strategy.start = *plan::start_named(start);
    const auto why = broker::why_not(spec.strategy.start, spec.mpi);
    if (!spec.automatic.start && why && spec.mpi.refused.empty())
        throw InputError(fmt::format("--start {} is refused: {}", start, *why));
    if (!spec.automatic.overlap) spec.strategy.overlap = *plan::overlap_named(overlap);
    spec.strategy.redistribution = *plan::executor_named(settings.choice(
        "redistribution", chosen ? "auto" : "p2p", names_of(plan::executor_choices)));
    const auto executor = spec.strategy.redistribution;
    if (const auto no = broker::why_not(executor, spec.mpi); no && spec.mpi.refused.empty())
        throw InputError(
            fmt::format("--redistribution {} is refused: {}", plan::to_string(executor), *no));
    const auto costs = settings.text("costs", "");
    if (!costs.empty())
        spec.costs = read_costs(costs, spec.mpi);
    else
        spec.costs = costs_of_this_user(spec.mpi);
}

/// What is given for a policy that does not run is a mistake of the user.
void refuse_what_no_policy_reads(const Settings& settings, const broker::PolicySpec& policy) {
    using policy::Kind;
    const bool is_program = !policy.command.empty();
    const auto refuse = [&settings](const char* option, bool is_read, const char* readers) {
        if (const auto given = settings.find(option); given && !is_read)
            throw InputError(fmt::format("{} is refused: only {} reads it", given->place, readers));
    };
    refuse("preferred", is_program || policy.kind == Kind::preferred,
           "--policy preferred or --policy-command");
    for (const char* option : {"efficiency", "efficiency-band"})
        refuse(option, policy.kind == Kind::efficiency, "--policy efficiency");
    refuse("energy-delay", policy.kind == Kind::energy, "--policy energy");
}

broker::PolicySpec read_policy(Settings& settings) {
    broker::PolicySpec policy;
    policy.kind =
        *policy::kind_named(settings.choice("policy", "manual", names_of(policy::all_kinds)));
    const auto command = settings.text("policy-command", "");
    policy.command = split_words(command);
    if (!command.empty() && policy.command.empty())
        throw InputError("--policy-command names no program");
    if (!policy.command.empty() && policy.kind != policy::Kind::manual)
        throw InputError("--policy and --policy-command exclude each other");
    policy.every_s = settings.seconds("policy-every", 5).value;
    if (policy.every_s < 0.1) throw InputError("--policy-every must be at least 0.1 s");
    auto& efficiency = policy.goals.efficiency;
    efficiency = {settings.share("efficiency", efficiency.target),
                  settings.share("efficiency-band", efficiency.band)};
    policy.goals.energy.delay_weight = settings.real("energy-delay", 1, 0, 10);
    refuse_what_no_policy_reads(settings, policy);
    return policy;
}

broker::PowerSpec read_power(Settings& settings, const broker::PolicySpec& policy) {
    broker::PowerSpec power;
    const auto asked = settings.flag("measure-energy");
    power.is_measured = asked || policy.kind == policy::Kind::energy;
    power.watts = settings.number("host-power", 0, 0, static_cast<int>(wire::limits::watts)).value;
    const auto command = settings.text("power-command", "");
    power.command = split_words(command);
    if (!command.empty() && power.command.empty())
        throw InputError("--power-command names no program");
    if (!power.command.empty() && power.watts > 0)
        throw InputError("--host-power and --power-command exclude each other");
    if (!power.is_measured) power = {};
    return power;
}

}  // namespace

broker::JobSpec read_spec(Settings& settings, const mpi::Capabilities& mpi) {
    broker::JobSpec spec;
    spec.mpi = mpi::in_a_job(mpi);
    spec.ranks = settings.sizes("ranks", {}, most_ranks);
    read_strategy(settings, spec);
    spec.readiness = settings.choice("readiness", "broker", {"broker", "tree"}) == "tree"
                         ? plan::Readiness::tree
                         : plan::Readiness::broker;
    if (spec.readiness == plan::Readiness::tree && !spec.mpi.agents_start_ranks)
        throw InputError("--readiness tree is refused: under this MPI, mpiexec starts the ranks");
    spec.strategy.joining =
        *plan::joining_named(settings.choice("join", "point", names_of(plan::all_joinings)));
    spec.strategy.memory =
        *plan::memory_named(settings.choice("memory", "keep", names_of(plan::all_memories)));
    spec.strategy.rank_order = *plan::rank_order_named(
        settings.choice("rank-order", "append", names_of(plan::all_rank_orders)));
    if (const auto no = broker::why_not(spec.strategy)) throw InputError(*no);
    spec.tag = settings.flag("tag");
    spec.unbuffered = settings.flag("unbuffered");
    spec.has_stdin = settings.choice("stdin", "rank0", {"rank0", "none"}) == "rank0";
    spec.verify = settings.flag("verify");
    spec.limits = read_limits(settings);
    spec.asking.slots = settings.number("ranks-per-host", 0, 1, most_ranks).value;
    spec.asking.within_s = settings.seconds("hosts-within", 60).value;
    spec.policy = read_policy(settings);
    spec.power = read_power(settings, spec.policy);
    spec.events = settings.text("events", "");
    expect_place_for("--events", spec.events);
    spec.switch_limits.progress_s = settings.seconds("progress-within", 5).value;
    spec.switch_limits.vote_s = settings.seconds("vote-within", 10).value;
    spec.switch_limits.own_moves_s = settings.seconds("redistribute-within", 600).value;
    spec.renew_after_s = settings.seconds("renew-after", 10).value;
    return spec;
}

}  // namespace ductile::cli
