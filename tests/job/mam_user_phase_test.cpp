// MaM's user phase, in which a program moves data itself.
#include "job/mam/user_phase.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::mam::mam_user_phase_test {
namespace {

/// What a user function has seen; it ends its phase in call `last`.
struct Seen {
    int last = 1;
    std::vector<mam_user_reconf_t> calls;
};

void look(void* args) {
    auto& seen = *static_cast<Seen*>(args);
    seen.calls.push_back(reconf_info().value());
    if (static_cast<int>(seen.calls.size()) == seen.last) end_user_phase();
}

DataMove move_of(int before, int after) {
    DataMove move;
    move.sources = {0, 1};
    move.targets = {0, 1, 2};
    move.rank_before = before;
    move.rank_after = after;
    return move;
}

bool never() {
    return false;
}

TEST(UserPhase, IsOverWhenTheFunctionSaysSo) {
    Seen seen{3, {}};
    EXPECT_GE(run_user_phase({look, &seen}, move_of(0, 0), never), 0.0);
    EXPECT_EQ(seen.calls.size(), 3U);
    EXPECT_FALSE(reconf_info());
    EXPECT_FALSE(end_user_phase());
}

TEST(UserPhase, TellsWhatAProcessIs) {
    const struct {
        int before, after, state;
    } table[] = {{0, 0, MAM_PROC_CONTINUE}, {-1, 2, MAM_PROC_NEW_RANK}, {1, -1, MAM_PROC_ZOMBIE}};
    for (const auto& row : table) {
        Seen seen;
        run_user_phase({look, &seen}, move_of(row.before, row.after), never);
        ASSERT_EQ(seen.calls.size(), 1U);
        EXPECT_EQ(seen.calls[0].rank_state, row.state);
        EXPECT_EQ(seen.calls[0].numS, 2);
        EXPECT_EQ(seen.calls[0].numT, 3);
    }
}

TEST(UserPhase, WithoutAFunctionThereIsNone) {
    EXPECT_GE(run_user_phase({}, move_of(0, 0), never), 0.0);
}

TEST(UserPhase, OfAResizeThatIsGivenUpEndsBetweenCalls) {
    Seen seen{1000, {}};
    const auto after_two = [&] { return seen.calls.size() == 2; };
    EXPECT_THROW(run_user_phase({look, &seen}, move_of(0, 0), after_two), Error);
    EXPECT_EQ(seen.calls.size(), 2U);
    EXPECT_FALSE(reconf_info());
}

}  // namespace
}  // namespace ductile::mam::mam_user_phase_test
