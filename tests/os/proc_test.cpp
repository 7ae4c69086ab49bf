// What /proc says about a process.
#include "os/proc.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace ductile::os::proc_test {
namespace {

TEST(ParseStat, TakesAnyName) {
    struct Case {
        const char* stat;
        pid_t pid, parent, session;
        char state;
        const char* name;
    };
    const Case cases[] = {
        {"12 (sleep) S 1 11 10 0 -1", 12, 1, 10, 'S', "sleep"},
        {"7 (a) b (c) R 3 7 6", 7, 3, 6, 'R', "a) b (c"},
        {"7 () Z 3 7 7", 7, 3, 7, 'Z', ""},
    };
    for (const auto& row : cases) {
        const auto process = parse_stat(row.stat);
        ASSERT_TRUE(process) << row.stat;
        EXPECT_EQ(process->pid, row.pid) << row.stat;
        EXPECT_EQ(process->parent, row.parent) << row.stat;
        EXPECT_EQ(process->session, row.session) << row.stat;
        EXPECT_EQ(process->state, row.state) << row.stat;
        EXPECT_EQ(process->name, row.name) << row.stat;
    }
}

TEST(ParseStat, WhatIsNoneIsNothing) {
    for (const auto* text : {"", "12 sleep S 1 1 1", "12 )sleep( S 1 1 1", "12 (sleep)",
                             "x (sleep) S 1 1 1", "12 (sleep) S 1", "12 (sleep) S x 1 1"})
        EXPECT_FALSE(parse_stat(text)) << text;
}

TEST(Proc, ShowsThisProcess) {
    const auto self = read_process(::getpid());
    ASSERT_TRUE(self);
    EXPECT_EQ(self->pid, ::getpid());
    EXPECT_EQ(self->parent, ::getppid());
    EXPECT_EQ(self->session, ::getsid(0));
    EXPECT_FALSE(self->is_dead());
    const auto pids = pids_in();
    EXPECT_NE(std::ranges::find(pids, ::getpid()), pids.end());
    EXPECT_TRUE(std::ranges::is_sorted(pids));
    EXPECT_FALSE(living_processes().contains(::getpid())) << "it is left out";
    EXPECT_TRUE(pids_in("/nowhere").empty());
}

}  // namespace
}  // namespace ductile::os::proc_test
