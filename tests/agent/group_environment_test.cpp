#include "agent/group_environment.hpp"

#include <gtest/gtest.h>

namespace ductile::agent::group_environment_test {
namespace {

using Entries = std::vector<std::string>;

struct NamedService : HostService {
    explicit NamedService(std::string what) : name(std::move(what)) {}
    std::vector<std::string> environment(const RankPlace& place) override {
        return {name + "=" + core::to_string(place.who),
                name + "_OF=" + std::to_string(place.ranks)};
    }
    std::string name;
};

TEST(GroupEnvironment, OursReplacesTheirs) {
    const std::vector<std::string> theirs = {"PATH=/bin", "DUCTILE_GROUP=9", "DUCTILE_GROUPS=x",
                                             "ODD"};
    const std::vector<std::string> ours = {"DUCTILE_GROUP=1"};
    const std::vector<std::string> expected = {"DUCTILE_GROUP=1", "PATH=/bin", "DUCTILE_GROUPS=x"};
    EXPECT_EQ(group_environment(theirs, ours), expected);
}

TEST(GroupEnvironment, EachServiceGivesWhatItKnowsOfTheRank) {
    NamedService first("FIRST"), second("SECOND");
    HostService silent;
    const RankPlace place{{core::GroupId{2}, core::Rank{3}}, 8};
    EXPECT_EQ(environment_by({&first, &silent, &second}, place),
              (Entries{"FIRST=g2.3", "FIRST_OF=8", "SECOND=g2.3", "SECOND_OF=8"}));
    EXPECT_TRUE(environment_by({}, place).empty());
}

}  // namespace
}  // namespace ductile::agent::group_environment_test
