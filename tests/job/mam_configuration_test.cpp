// MaM's settings, and which strategy removes which other strategy.
#include "job/mam/configuration.hpp"

#include <gtest/gtest.h>

#include <map>

#include "ductile/compat/mam.h"

namespace ductile::mam::mam_configuration_test {
namespace {

Environment environment_of(const std::map<std::string, const char*>& values) {
    return [values](const char* name) -> const char* {
        const auto found = values.find(name);
        return found == values.end() ? nullptr : found->second;
    };
}

Configuration defaults() {
    return Configuration::from(environment_of({}));
}

TEST(MamConfiguration, StrategiesExcludeEachOther) {
    constexpr int spawn = MAM_SPAWN_STRATEGIES;
    constexpr int red = MAM_RED_STRATEGIES;
    const struct {
        int key, strategy, answer;
        unsigned taken_away;  ///< 0: none
    } table[] = {
        {spawn, MAM_STRAT_SPAWN_SINGLE, MAM_STRATS_ADDED, 0},
        {spawn, MAM_STRAT_SPAWN_SINGLE, MAM_OK, 0},
        {spawn, MAM_STRAT_SPAWN_MULTIPLE, MAM_STRATS_ADDED, 0},
        {spawn, MAM_STRAT_SPAWN_PARALLEL, MAM_STRATS_MODIFIED, MAM_STRAT_SPAWN_SINGLE},
        {spawn, MAM_STRAT_SPAWN_INTERCOMM, MAM_STRATS_ADDED, 0},
        {spawn, MAM_STRAT_SPAWN_SINGLE, MAM_STRATS_MODIFIED, MAM_STRAT_SPAWN_PARALLEL},
        {spawn, MAM_STRAT_SPAWN_PTHREAD, MAM_STRATS_ADDED, 0},
        {spawn, MAM_STRAT_SPAWN_CLEAR, MAM_STRATS_MODIFIED, MAM_STRAT_SPAWN_INTERCOMM},
        {red, MAM_STRAT_RED_WAIT_SOURCES, MAM_STRATS_ADDED, 0},
        {red, MAM_STRAT_RED_WAIT_TARGETS, MAM_STRATS_MODIFIED, MAM_STRAT_RED_WAIT_SOURCES},
        {red, MAM_STRAT_RED_PTHREAD, MAM_STRATS_MODIFIED, MAM_STRAT_RED_WAIT_TARGETS},
    };
    auto now = defaults();
    for (const auto& row : table) {
        EXPECT_EQ(now.set(row.key, row.strategy), row.answer) << row.key << " " << row.strategy;
        if (row.strategy != 0) {
            EXPECT_TRUE(now.contains(row.key, static_cast<unsigned>(row.strategy)));
        }
        if (row.taken_away != 0) {
            EXPECT_FALSE(now.contains(row.key, row.taken_away));
        }
    }
}

TEST(MamConfiguration, ValuesOutOfBoundsChangeNothing) {
    auto now = defaults();
    EXPECT_EQ(now.set(MAM_RED_METHOD, MAM_RED_RMA_LOCK), MAM_RED_RMA_LOCK);
    EXPECT_EQ(now.set(MAM_RED_METHOD, 7), MAM_RED_RMA_LOCK) << "what holds is answered";
    EXPECT_EQ(now.set(MAM_RED_METHOD, -1), MAM_DENIED);
    EXPECT_EQ(now.set(MAM_NUM_TARGETS, 3), MAM_DENIED) << "no key of this class's";
    EXPECT_FALSE(now.contains(MAM_RED_METHOD, 1));
    EXPECT_FALSE(now.contains(MAM_SPAWN_STRATEGIES, 99));
    now.set_all({7, 7, 7, 7, 7});
    EXPECT_EQ(now.numbers()[MAM_RED_METHOD], MAM_RED_RMA_LOCK);
    EXPECT_EQ(now.named(MAM_SPAWN_METHOD), std::nullopt);
}

TEST(MamConfiguration, AMethodIsNamedByProgramOrEnvironment) {
    EXPECT_EQ(defaults().named(MAM_SPAWN_METHOD), std::nullopt);
    EXPECT_EQ(defaults().numbers()[MAM_SPAWN_METHOD], MAM_SPAWN_MERGE);
    auto now = defaults();
    now.set_all({MAM_SPAWN_MERGE, MAM_STRAT_SPAWN_PARALLEL, MAM_PHY_DIST_SPREAD, MAM_RED_POINT, 0});
    EXPECT_EQ(now.named(MAM_SPAWN_METHOD), MAM_SPAWN_MERGE);
    EXPECT_TRUE(now.contains(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_PARALLEL));
    const auto environment = environment_of({{"MAM_SPAWN_METHOD", "0"}, {"MAM_RED_METHOD", "x"}});
    EXPECT_EQ(Configuration::from(environment).named(MAM_SPAWN_METHOD), MAM_SPAWN_BASELINE);
    EXPECT_EQ(Configuration::from(environment).numbers()[MAM_RED_METHOD], MAM_RED_BASELINE);
}

TEST(MamConfiguration, OneSidedMovesHaveWhatTheyNeed) {
    for (const int method : {MAM_RED_RMA_LOCK, MAM_RED_RMA_LOCKALL}) {
        auto now = defaults();
        now.set(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_INTERCOMM);
        now.set(MAM_RED_METHOD, method);
        EXPECT_TRUE(now.contains(MAM_RED_STRATEGIES, MAM_STRAT_RED_WAIT_TARGETS));
        EXPECT_FALSE(now.contains(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_INTERCOMM));
        now.set(MAM_RED_STRATEGIES, MAM_STRAT_RED_PTHREAD);
        EXPECT_TRUE(now.contains(MAM_RED_STRATEGIES, MAM_STRAT_RED_PTHREAD));
        EXPECT_FALSE(now.contains(MAM_RED_STRATEGIES, MAM_STRAT_RED_WAIT_TARGETS));
        now.set(MAM_RED_STRATEGIES, MAM_STRAT_RED_WAIT_SOURCES);
        EXPECT_TRUE(now.contains(MAM_RED_STRATEGIES, MAM_STRAT_RED_WAIT_TARGETS));
    }
}

TEST(MamConfiguration, ARedistributionIsNamedLikeTheMethod) {
    EXPECT_EQ(defaults().named(MAM_RED_METHOD), std::nullopt);
    EXPECT_EQ(defaults().named(MAM_RED_STRATEGIES), std::nullopt);
    auto now = Configuration::from(environment_of({{"MAM_RED_METHOD", "1"}}));
    EXPECT_EQ(now.named(MAM_RED_METHOD), MAM_RED_POINT);
    now.set(MAM_RED_STRATEGIES, MAM_STRAT_RED_CLEAR);
    EXPECT_EQ(now.named(MAM_RED_STRATEGIES), 0);
    EXPECT_EQ(now.named(MAM_SPAWN_METHOD), std::nullopt);
    EXPECT_EQ(now.named(MAM_NUM_TARGETS), std::nullopt) << "no key of this class's";
}

TEST(MamConfiguration, ItIsHandedOnAsNumbers) {
    auto now = defaults();
    now.set(MAM_SPAWN_METHOD, MAM_SPAWN_BASELINE);
    now.set(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_PTHREAD);
    const auto there = Configuration::from(now.numbers());
    EXPECT_EQ(there.numbers(), now.numbers());
    EXPECT_EQ(there.named(MAM_SPAWN_METHOD), MAM_SPAWN_BASELINE);
    EXPECT_TRUE(there.contains(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_PTHREAD));
}

TEST(MamConfiguration, ATargetNumberMayBeInTheEnvironment) {
    const auto in = [](const char* text) {
        return target_number_in(environment_of({{"MAM_NUM_TARGETS", text}}));
    };
    EXPECT_EQ(target_number_in(environment_of({})), 0);
    EXPECT_EQ(in("8"), 8);
    EXPECT_EQ(in("-8"), 0);
    EXPECT_EQ(in("eight"), 0);
}

}  // namespace
}  // namespace ductile::mam::mam_configuration_test
