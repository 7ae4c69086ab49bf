#include "plan/spawn_schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "examples.hpp"

namespace ductile::plan::spawn_schedule_test {
namespace {

using core::Group;
using core::GroupId;
using core::HostIndex;
using core::Layout;
using core::Rank;

/// A group on each host that runs ranks, and one on each that is to start some.
struct Vectors {
    std::vector<int> running;  ///< R
    std::vector<int> starts;   ///< S

    [[nodiscard]] Layout sources() const {
        std::vector<Group> groups;
        for (std::size_t i = 0; i < running.size(); ++i)
            if (running[i] > 0)
                groups.push_back(
                    group(static_cast<int>(groups.size()), static_cast<int>(i), running[i]));
        return Layout::of(groups);
    }
    [[nodiscard]] std::vector<Group> added() const {
        std::vector<Group> groups;
        for (std::size_t i = 0; i < starts.size(); ++i)
            if (starts[i] > 0)
                groups.push_back(
                    group(1000 + static_cast<int>(groups.size()), static_cast<int>(i), starts[i]));
        return groups;
    }
};

TEST(SpawnSteps, Table2) {
    const Vectors example{{2, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {2, 2, 8, 12, 3, 3, 4, 4, 6, 3}};
    const std::vector<SpawnStep> expected{
        {0, 2, {}, 0, 1, {}}, {1, 6, 4, 2, 2, 1}, {2, 40, 34, 8, 8, 6}, {3, 49, 9, 48, 10, 2}};
    EXPECT_EQ(spawn_steps(example.sources(), example.added(), Method::merge), expected);
}

TEST(SpawnSchedule, Figure1) {
    const Vectors example{{1, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 1, 1, 1, 1, 1, 1}};
    std::vector<std::vector<int>> seen;
    for (const auto& s : spawn_schedule(example.sources(), example.added())) {
        EXPECT_EQ(s.rank, Rank{0});
        seen.push_back({s.step, s.starter.value, s.starts.value});
    }
    EXPECT_EQ(seen, (std::vector<std::vector<int>>{{1, 0, 1000},
                                                   {2, 0, 1001},
                                                   {2, 1000, 1002},
                                                   {3, 0, 1003},
                                                   {3, 1000, 1004},
                                                   {3, 1001, 1005},
                                                   {3, 1002, 1006}}));
}

// Section 4.1 of parallel-spawning-strategies: "Starting with a single fully occupied node, the
// first step could launch up to 20 additional nodes. In the second step ... 420 additional nodes".
TEST(SpawnSteps, TwentyCoresAHost) {
    Vectors example{std::vector<int>(441, 0), std::vector<int>(441, 20)};
    example.running[0] = 20;
    example.starts[0] = 0;
    const std::vector<SpawnStep> expected{
        {0, 20, {}, 0, 1, {}}, {1, 420, 400, 20, 21, 20}, {2, 8820, 8400, 440, 441, 420}};
    EXPECT_EQ(spawn_steps(example.sources(), example.added(), Method::merge), expected);
}

TEST(SpawnSchedule, NothingToStartAndNobodyToStart) {
    const auto one = Layout::of({group(0, 0, 1)});
    EXPECT_TRUE(spawn_schedule(one, {}).empty());
    EXPECT_EQ(spawn_steps(one, {}, Method::merge), (std::vector<SpawnStep>{{0, 1, {}, 0, 1, {}}}));
    EXPECT_THROW(spawn_schedule({}, {group(1, 0, 1)}), std::invalid_argument);
    EXPECT_THROW(spawn_steps({}, {group(1, 0, 1)}, Method::merge), std::invalid_argument);
    EXPECT_THROW(spawn_schedule(one, {group(1, 0, 0)}), std::invalid_argument);
}

// A rank that has left or is parked starts no group.
TEST(SpawnSchedule, ProcessesThatAreThereStartInTheOrderOfTheirRanks) {
    const auto sources = Layout::of({group(0, 0, 3), group(1, 1, 2)})
                             .without({Rank{0}}, {Rank{2}})
                             .with_back(1);  // g0.1, g1.0, g1.1, g0.2
    std::vector<core::Process> starters;
    for (const auto& one :
         spawn_schedule(sources, {group(2, 0, 1), group(3, 1, 1), group(4, 2, 1), group(5, 3, 1)}))
        starters.push_back({one.starter, one.rank});
    EXPECT_EQ(starters, (std::vector<core::Process>{{GroupId{0}, Rank{1}},
                                                    {GroupId{1}, Rank{0}},
                                                    {GroupId{1}, Rank{1}},
                                                    {GroupId{0}, Rank{2}}}));
}

// Equations (1) and (2), and the least s that reaches N hosts (equation 3; of baseline with N + I
// instead of N), counted without logarithms.
TEST(SpawnSteps, EquationsOfTheHypercubeForAllSizes) {
    for (const auto method : all_methods) {
        const bool merge = method == Method::merge;
        for (int cores = 1; cores <= 5; ++cores) {
            for (int initial = 1; initial <= 4; ++initial) {
                for (int hosts = 1; hosts <= 512; ++hosts) {
                    const int fresh = merge ? hosts - initial : hosts;
                    if (fresh < 1) continue;
                    Vectors v{std::vector<int>(static_cast<std::size_t>(initial + fresh), 0),
                              std::vector<int>(static_cast<std::size_t>(initial + fresh), cores)};
                    for (int i = 0; i < initial; ++i) {
                        v.running[static_cast<std::size_t>(i)] = cores;
                        v.starts[static_cast<std::size_t>(i)] = 0;
                    }
                    const auto rows = spawn_steps(v.sources(), v.added(), method);
                    std::int64_t power = 1;  // (C + 1)^s
                    int steps = 0;
                    while (power * initial < fresh + initial) {
                        power *= cores + 1;
                        ++steps;
                        const auto& row = rows.at(static_cast<std::size_t>(steps));
                        const auto all = power * initial - (merge ? 0 : initial);
                        const auto in_use = std::min<std::int64_t>(all, hosts);
                        ASSERT_EQ(row.T, in_use);
                        ASSERT_EQ(row.t, cores * (in_use + (merge ? 0 : initial)));
                    }
                    ASSERT_EQ(rows.back().s, steps);
                }
            }
        }
    }
}

rc::Gen<Vectors> any_vectors() {
    return rc::gen::exec([] {
        const int hosts = *rc::gen::inRange(1, 513);
        const int most = *rc::gen::element(1, 2, 9);
        Vectors v;
        for (int i = 0; i < hosts; ++i) {
            const bool runs = i == 0 || *rc::gen::inRange(0, 8) == 0;
            v.running.push_back(runs ? *rc::gen::inRange(1, most + 1) : 0);
            v.starts.push_back(*rc::gen::inRange(0, most + 1));
        }
        return v;
    });
}

// Equations (4) to (8) as printed, over the entries of R and S where S is not null. Under baseline
// the sources end, so none of their hosts is in use by what remains: R is null in (7) and (8).
RC_GTEST_PROP(SpawnSteps, EquationsOfTheDiffusiveStart, (bool baseline)) {
    const auto v = *any_vectors();
    const auto method = baseline ? Method::baseline : Method::merge;
    std::vector<int> s_, r_;
    for (std::size_t i = 0; i < v.starts.size(); ++i)
        if (v.starts[i] > 0) s_.push_back(v.starts[i]), r_.push_back(baseline ? 0 : v.running[i]);
    const auto n = static_cast<std::int64_t>(s_.size());
    const auto rows = spawn_steps(v.sources(), v.added(), method);
    RC_ASSERT(rows[0].t == std::accumulate(v.running.begin(), v.running.end(), 0));
    RC_ASSERT(rows[0].lambda == 0);
    RC_ASSERT(rows[0].T == (baseline ? 0
                                     : std::count_if(v.running.begin(), v.running.end(),
                                                     [](int ranks) { return ranks > 0; })));
    for (std::size_t s = 1; s < rows.size(); ++s) {
        RC_ASSERT(rows[s].s == static_cast<int>(s));
        RC_ASSERT(rows[s].lambda == rows[s - 1].lambda + rows[s - 1].t);
        std::int64_t g = 0;
        int G = 0;
        for (auto i = rows[s - 1].lambda; i <= std::min(n, rows[s].lambda) - 1; ++i) {
            g += s_[static_cast<std::size_t>(i)];
            G += r_[static_cast<std::size_t>(i)] == 0 ? 1 : 0;
        }
        RC_ASSERT(rows[s].g == g);
        RC_ASSERT(rows[s].G == G);
        RC_ASSERT(rows[s].t == rows[s - 1].t + g);
        RC_ASSERT(rows[s].T == rows[s - 1].T + G);
    }
    RC_ASSERT(rows.back().lambda >= n);
    if (rows.size() >= 2) RC_ASSERT(rows[rows.size() - 2].lambda < n);
}

RC_GTEST_PROP(SpawnSchedule, EachGroupOnceByAProcessThatIsThereAndFree, ()) {
    const auto v = *any_vectors();
    const auto sources = v.sources();
    const auto added = v.added();
    std::map<int, int> ranks, there_after;  // by group
    for (const auto& range : sources.active)
        ranks[range.group.value] = range.ranks, there_after[range.group.value] = 0;
    for (const auto& g : added) ranks[g.id.value] = g.ranks;
    std::set<std::vector<int>> busy;
    std::size_t at = 0;
    int step_before = 1;
    for (const auto& spawn : spawn_schedule(sources, added)) {
        RC_ASSERT(spawn.starts == added.at(at++).id);
        RC_ASSERT(spawn.step == step_before || spawn.step == step_before + 1);
        step_before = spawn.step;
        RC_ASSERT(there_after.count(spawn.starter.value) == 1u);
        RC_ASSERT(there_after[spawn.starter.value] < spawn.step);
        RC_ASSERT(spawn.rank.value >= 0 && spawn.rank.value < ranks[spawn.starter.value]);
        RC_ASSERT(busy.insert({spawn.step, spawn.starter.value, spawn.rank.value}).second);
        there_after[spawn.starts.value] = spawn.step;
    }
    RC_ASSERT(at == added.size());
    const auto rows = spawn_steps(sources, added, Method::merge);
    RC_ASSERT(added.empty() || rows.back().s == step_before);
}

}  // namespace
}  // namespace ductile::plan::spawn_schedule_test
