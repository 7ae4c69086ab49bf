#include "job/dmr/inhibitor.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ductile::dmr::dmr_inhibitor_test {
namespace {

std::string calls(Inhibitor& inhibitor, int count) {
    std::string passed;
    for (int i = 0; i < count; ++i) passed += inhibitor.passes() ? 'x' : '-';
    return passed;
}

TEST(Inhibitor, EachCallPassesAtFirst) {
    Inhibitor inhibitor;
    EXPECT_EQ(calls(inhibitor, 3), "xxx");
}

TEST(Inhibitor, EachNthPasses) {
    Inhibitor inhibitor;
    inhibitor.let_each_pass(3);
    EXPECT_EQ(calls(inhibitor, 7), "--x--x-");
}

// An added process has made no calls. So an old process restarts its count.
TEST(Inhibitor, ProcessesThatMeetCountAlike) {
    Inhibitor old_process, added;
    old_process.let_each_pass(3);
    static_cast<void>(calls(old_process, 5));
    old_process.restart();
    added.let_each_pass(3);
    EXPECT_EQ(calls(old_process, 7), calls(added, 7));
}

}  // namespace
}  // namespace ductile::dmr::dmr_inhibitor_test
