#include "broker/choose_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "broker/size_in_range.hpp"
#include "core/contract.hpp"
#include "plan/text_table.hpp"

namespace ductile::broker {

namespace {

using plan::Method;
using plan::Overlap;
using plan::Start;

constexpr std::array preferred_starts{Start::launch, Start::hypercube, Start::diffusive,
                                      Start::collective, Start::single};
constexpr std::array preferred_overlaps{Overlap::background, Overlap::blocking};
constexpr double as_good_as = 1.02;

plan::Automatic left_open(const ResizeRequest& request, const JobView& job) {
    auto open = job.automatic;
    if (std::holds_alternative<CheapestStrategy>(request.method)) open = {true, true, true};
    if (request.named_method() || request.renews()) open.method = false;
    if (request.start) open.start = false;
    if (request.overlap) open.overlap = false;
    return open;
}

template <class Values, class Value>
std::vector<Value> choices(bool open, const Values& all, Value named) {
    if (!open) return {named};
    return {all.begin(), all.end()};
}

std::string name_of(const Alternative& one) {
    const auto* resize = one.resize();
    if (resize != nullptr && resize->added.empty()) return "merge";
    return fmt::format("{} {} {}", plan::to_string(one.strategy.method),
                       plan::to_string(one.strategy.start), plan::to_string(one.strategy.overlap));
}

// Whether both lead to the same layout and start the same groups by the same strategy. If they
// start no groups, the strategies do not matter.
bool same_plan(const Alternative& one, const Alternative& other) {
    const auto *a = one.resize(), *b = other.resize();
    if (a == nullptr || b == nullptr) return false;
    if (a->after != b->after || a->added != b->added) return false;
    return a->added.empty() || a->strategy == b->strategy;
}

const plan::Cost* cost_of(const Alternative& one) {
    return one.resize() != nullptr && one.resize()->cost ? &*one.resize()->cost : nullptr;
}

// Precondition: the request does not name a range of sizes.
Planned choose_for_one_size(const ResizeRequest& request, const JobView& job) {
    if (!left_open(request, job).any()) return plan_resize(request, job);
    const auto all = alternatives(request, job);
    const auto choice = choose(all);
    auto chosen = all[choice.index].plan;
    if (auto* resize = std::get_if<PlannedResize>(&chosen)) resize->table += to_table(all, choice);
    return chosen;
}

}  // namespace

std::vector<Alternative> alternatives(const ResizeRequest& request, const JobView& job) {
    DUCTILE_EXPECT(!is_range(request));
    const auto open = left_open(request, job);
    auto plain = request;
    if (std::holds_alternative<CheapestStrategy>(plain.method)) {
        plain.method = MethodOfJob{};
        if (!plain.redistribution) plain.redistribution = plan::Executor::automatic;
    }
    std::vector<Alternative> all;
    for (const auto method : choices(open.method, plan::all_methods, job.strategy.method))
        for (const auto start : choices(open.start, preferred_starts, job.strategy.start))
            for (const auto overlap :
                 choices(open.overlap, preferred_overlaps, job.strategy.overlap)) {
                auto view = job;
                view.strategy.method = method;
                view.strategy.start = start;
                view.strategy.overlap = overlap;
                Alternative one{view.strategy, plan_resize(plain, view)};
                if (const auto* resize = one.resize(); resize != nullptr && !resize->added.empty())
                    one.strategy = resize->strategy;
                const bool known = std::ranges::any_of(
                    all, [&](const Alternative& other) { return same_plan(one, other); });
                if (!known) all.push_back(std::move(one));
            }
    return all;
}

Choice choose(const std::vector<Alternative>& all) {
    DUCTILE_EXPECT(!all.empty());
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto* cost = cost_of(all[i]);
        if (cost == nullptr) continue;
        const auto* least = best ? cost_of(all[*best]) : nullptr;
        if (least == nullptr || cost->lost_s < least->lost_s) best = i;
    }
    if (!best) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].resize() != nullptr)
                return {i,
                        "no costs were measured on this machine (`ductile calibrate` measures "
                        "them): then merge by launch or by a parallel start is preferred"};
        return {0, all.front().plan.index() == 1 ? "the job has that size already"
                                                 : "every strategy is refused"};
    }
    const double limit = cost_of(all[*best])->lost_s * as_good_as;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const auto* cost = cost_of(all[i]); cost != nullptr && cost->lost_s <= limit &&
                                                cost->total_s < cost_of(all[*best])->total_s)
            best = i;
    const auto* chosen = cost_of(all[*best]);
    const Alternative* next = nullptr;
    for (const auto& one : all)
        if (const auto* cost = cost_of(one);
            cost != nullptr && &one != &all[*best] &&
            (next == nullptr || cost->lost_s < cost_of(*next)->lost_s))
            next = &one;
    std::string why =
        fmt::format("the program loses the least time with it: {:.1f} ms", chosen->lost_s * 1e3);
    if (next != nullptr)
        why += fmt::format("; with {}: {:.1f} ms", name_of(*next), cost_of(*next)->lost_s * 1e3);
    return {*best, why};
}

Planned choose_resize(const ResizeRequest& request, const JobView& job) {
    return plan_size_in_range(request, job, choose_for_one_size);
}

std::string to_table(const std::vector<Alternative>& all, const Choice& choice) {
    using plan::Align;
    plan::Table table({{""},
                       {"strategy"},
                       {"spawn ms", Align::right},
                       {"connect ms", Align::right},
                       {"switch ms", Align::right},
                       {"total ms", Align::right},
                       {"lost ms", Align::right},
                       {"not, because"}});
    const auto ms = [](double seconds) { return fmt::format("{:.1f}", seconds * 1e3); };
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<std::string> row{i == choice.index ? "*" : "", name_of(all[i])};
        const auto* cost = cost_of(all[i]);
        for (const auto part : {&plan::Cost::spawn_s, &plan::Cost::connect_s, &plan::Cost::switch_s,
                                &plan::Cost::total_s, &plan::Cost::lost_s})
            row.push_back(cost != nullptr ? ms(cost->*part) : "-");
        const auto* refused = std::get_if<Refused>(&all[i].plan);
        row.push_back(refused != nullptr ? refused->why : "");
        table.add(std::move(row));
    }
    return table.text() +
           fmt::format("chosen: {}, since {}\n", name_of(all[choice.index]), choice.why);
}

}  // namespace ductile::broker
