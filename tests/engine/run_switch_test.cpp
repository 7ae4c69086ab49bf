// The course of a switch. The switch and the rank are fakes, which record their calls.
#include "engine/run_switch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

namespace ductile::engine::run_switch_test {
namespace {

using Journal = std::vector<std::string>;

struct FakeSwitch final : Switch {
    Journal& journal;
    Obstacle before, during;
    bool votes_last = true;
    std::function<void()> move_throws;
    Fate fate = Fate::stays;

    explicit FakeSwitch(Journal& to) : journal(to) {}

    [[nodiscard]] data::PartCounts part_counts() const override { return {2, 3}; }
    Obstacle prepare(std::vector<data::Outgoing> arrays) override {
        journal.push_back("prepare");
        if (arrays.size() != 1) throw UsageError("it gets what the rank has");
        return before;
    }
    void on_first_vote(bool yes) override { journal.push_back(yes ? "agreed" : "not agreed"); }
    Obstacle carry_out(SwitchReport& report) override {
        journal.push_back("carry out");
        report.join_s = 3;
        return during;
    }
    mpi::SharedComm last_voters() override {
        return votes_last ? std::make_shared<mpi::Comm>() : nullptr;
    }
    void roll_back(SwitchReport& report) override {
        journal.push_back("roll back");
        report.unfinished = true;
    }
    void move(SwitchReport&) override {
        journal.push_back("move");
        if (move_throws) move_throws();
    }
    Adoption adopt() override {
        journal.push_back("adopt");
        Adoption adoption;
        adoption.next.point = 7;
        adoption.fate = fate;
        return adoption;
    }
};

struct FakeRank final : SwitchRank {
    Journal& journal;
    Obstacle heard;
    bool others_say_yes_first = true, others_say_yes_last = true;
    bool rules_throw = false, others_differ = false;
    bool before_move_throws = false, before_move_throws_a_number = false;
    bool rebuild_throws = false;
    Obstacle differs;
    SwitchReport said;

    explicit FakeRank(Journal& to) : journal(to) {}

    void arrive(core::TransactionId transaction) override {
        EXPECT_EQ(transaction, core::TransactionId{4});
        journal.push_back("arrive");
    }
    Obstacle objection() override { return heard; }
    Registered registered(const data::PartCounts& counts) override {
        EXPECT_EQ(counts.after, 3);
        if (rules_throw) throw UsageError("array 'x' has no partition");
        return {std::vector<data::Outgoing>(1), 12};
    }
    Obstacle difference(const data::PartCounts& counts) override {
        EXPECT_EQ(counts.after, 3);
        journal.push_back("compare");
        return differs;
    }
    void before_move() override {
        journal.push_back("before move");
        if (before_move_throws) throw std::runtime_error("the disk is full");
        if (before_move_throws_a_number) throw 42;
    }
    void rebuild(SwitchReport& report) override {
        journal.push_back("rebuild");
        report.rebuild_s = 5;
        if (rebuild_throws) throw std::runtime_error("no neighbours");
    }
    Tally vote(const mpi::SharedComm& voters, const Ballot& ballot) override {
        const bool last = voters != nullptr;
        EXPECT_EQ(ballot.transaction, core::TransactionId{4});
        EXPECT_EQ(ballot.point, last ? 0 : 7);
        EXPECT_FALSE(ballot.early);
        EXPECT_EQ(ballot.fingerprint.has_value(), !last && !rules_throw);
        journal.push_back(std::string(last ? "last" : "first") + (ballot.yes ? " yes" : " no"));
        if (!last && others_differ) return {false, false, true};
        return {ballot.yes && (last ? others_say_yes_last : others_say_yes_first), false, false};
    }
    void adopt(Adoption adoption) override {
        EXPECT_EQ(adoption.next.point, 7);
        journal.push_back("become");
    }
    void report_failed(core::TransactionId transaction, const std::string& why) override {
        EXPECT_EQ(transaction, core::TransactionId{4});
        journal.push_back("failed: " + why);
    }
    void report(SwitchReport report, const Stopwatch&) override {
        said = std::move(report);
        journal.push_back("report");
    }
};

const SwitchPlan plan{core::TransactionId{4}, 7, {}, {}, false};

struct Course {
    Journal journal;
    FakeSwitch what{journal};
    FakeRank rank{journal};
    Fate run() { return run_switch(what, plan, rank); }
};

TEST(RunSwitch, a_commit) {
    Course course;
    EXPECT_EQ(course.run(), Fate::stays);
    EXPECT_EQ(course.journal,
              (Journal{"arrive", "prepare", "before move", "first yes", "agreed", "carry out",
                       "last yes", "move", "adopt", "become", "rebuild", "report"}));
    EXPECT_TRUE(course.rank.said.committed);
    EXPECT_EQ(course.rank.said.transaction, core::TransactionId{4});
    EXPECT_EQ(course.rank.said.join_s, 3);
    EXPECT_EQ(course.rank.said.why, "");
}

TEST(RunSwitch, the_first_vote_is_the_commit_where_nobody_votes_last) {
    Course course;
    course.what.votes_last = false;
    course.what.fate = Fate::parks;
    EXPECT_EQ(course.run(), Fate::parks);
    EXPECT_EQ(course.journal, (Journal{"arrive", "prepare", "before move", "first yes", "agreed",
                                       "carry out", "move", "adopt", "become", "report"}));
    EXPECT_TRUE(course.rank.said.committed);
}

TEST(RunSwitch, a_no_in_the_first_vote_costs_nothing) {
    const struct {
        Obstacle own, heard;
        bool others;
        const char *ballot, *why;
    } rows[] = {{"no memory", std::nullopt, true, "first no", "no memory"},
                {std::nullopt, "the broker is lost", true, "first no", "the broker is lost"},
                {"no memory", "the broker is lost", true, "first no", "the broker is lost"},
                {std::nullopt, std::nullopt, false, "first yes", ""}};
    for (const auto& row : rows) {
        Course course;
        course.what.before = row.own;
        course.rank.heard = row.heard;
        course.rank.others_say_yes_first = row.others;
        EXPECT_EQ(course.run(), Fate::unchanged);
        auto expected = Journal{"arrive", "prepare", row.ballot, "not agreed", "report"};
        if (!row.own && !row.heard) expected.insert(expected.begin() + 2, {"before move"});
        EXPECT_EQ(course.journal, expected);
        EXPECT_FALSE(course.rank.said.committed);
        EXPECT_FALSE(course.rank.said.unfinished);
        EXPECT_EQ(course.rank.said.why, row.why);
    }
}

TEST(RunSwitch, a_rule_that_throws_is_a_no) {
    Course course;
    course.rank.rules_throw = true;
    EXPECT_EQ(course.run(), Fate::unchanged);
    EXPECT_EQ(course.journal, (Journal{"arrive", "first no", "not agreed", "report"}));
    EXPECT_EQ(course.rank.said.why, "array 'x' has no partition");
}

TEST(RunSwitch, what_the_program_throws_before_data_move_is_a_no) {
    Course course;
    course.rank.before_move_throws = true;
    EXPECT_EQ(course.run(), Fate::unchanged);
    EXPECT_EQ(course.journal,
              (Journal{"arrive", "prepare", "before move", "first no", "not agreed", "report"}));
    EXPECT_EQ(course.rank.said.why, "the program's before_move function failed: the disk is full");
}

TEST(RunSwitch, what_the_program_throws_may_be_of_any_type) {
    Course course;
    course.rank.before_move_throws_a_number = true;
    EXPECT_EQ(course.run(), Fate::unchanged);
    EXPECT_EQ(course.rank.said.why,
              "the program's before_move function failed: an exception of unknown type");
}

TEST(RunSwitch, what_rebuilding_throws_comes_out_after_the_report) {
    Course course;
    course.rank.rebuild_throws = true;
    EXPECT_THROW(course.run(), std::runtime_error);
    EXPECT_EQ(course.journal.back(), "report");
    EXPECT_TRUE(course.rank.said.committed);
    EXPECT_EQ(course.rank.said.rebuild_s, 5);
}

// Other ranks wait for this rank in their own moves.
TEST(RunSwitch, a_move_of_the_program_that_throws_after_the_commit_is_reported) {
    for (const bool votes_last : {false, true}) {
        Course course;
        course.what.votes_last = votes_last;
        course.what.move_throws = [] { throw ProgramFailed("no memory"); };
        EXPECT_THROW(course.run(), ProgramFailed);
        EXPECT_EQ(course.journal.back(), "failed: no memory");
        EXPECT_EQ(std::ranges::count(course.journal, "adopt"), 0);
    }
}

// The broker learns the reason, for example a lost host, before this rank does.
TEST(RunSwitch, another_failure_of_a_move_is_not_reported) {
    Course course;
    course.what.move_throws = [] { throw SystemError("a peer is lost"); };
    EXPECT_THROW(course.run(), SystemError);
    EXPECT_EQ(course.journal.back(), "move");
}

TEST(RunSwitch, who_has_registered_something_else_than_rank_0_says_what) {
    for (const Obstacle& difference : {Obstacle(), Obstacle("rank 2: array 'y'")}) {
        Course course;
        course.rank.others_differ = true;
        course.rank.differs = difference;
        EXPECT_EQ(course.run(), Fate::unchanged);
        EXPECT_EQ(course.journal, (Journal{"arrive", "prepare", "before move", "first yes",
                                           "not agreed", "compare", "report"}));
        EXPECT_EQ(course.rank.said.why, difference.value_or(""));
    }
}

TEST(RunSwitch, a_no_in_the_last_vote_rolls_back) {
    const struct {
        Obstacle own;
        bool others;
        const char *ballot, *why;
    } rows[] = {{"no progress", true, "last no", "no progress"},
                {std::nullopt, false, "last yes", ""}};
    for (const auto& row : rows) {
        Course course;
        course.what.during = row.own;
        course.rank.others_say_yes_last = row.others;
        EXPECT_EQ(course.run(), Fate::unchanged);
        EXPECT_EQ(course.journal,
                  (Journal{"arrive", "prepare", "before move", "first yes", "agreed", "carry out",
                           row.ballot, "roll back", "report"}));
        EXPECT_FALSE(course.rank.said.committed);
        EXPECT_TRUE(course.rank.said.unfinished);
        EXPECT_EQ(course.rank.said.why, row.why);
    }
}

TEST(RunSwitch, a_parked_rank_has_the_second_half_alone) {
    Course course;
    SwitchReport report;
    report.transaction = core::TransactionId{4};
    EXPECT_EQ(complete_switch(course.what, report, course.rank), Fate::stays);
    EXPECT_EQ(course.journal, (Journal{"carry out", "last yes", "move", "adopt", "become"}));
}

}  // namespace
}  // namespace ductile::engine::run_switch_test
