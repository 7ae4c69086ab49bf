// Reductions over trees in memory: messages wait in their places and complete in random order.
#include "groups/reduction_schedule.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <vector>

namespace ductile::groups::reduction_schedule_test {
namespace {

using Kind = ReductionStep::Kind;

TEST(SegmentWindow, counts_how_far_all_have_ended) {
    SegmentWindow window_of;
    for (std::int64_t i = 0; i < window; ++i) {
        ASSERT_TRUE(window_of.has_room());
        EXPECT_EQ(window_of.begin(), i);
    }
    EXPECT_FALSE(window_of.has_room());
    window_of.end(slot(1));
    window_of.end(slot(2));
    EXPECT_EQ(window_of.ended(), 0);
    EXPECT_FALSE(window_of.has_room());
    window_of.end(slot(0));
    EXPECT_EQ(window_of.ended(), 3);
    EXPECT_EQ(window_of.begin(), 4);
    EXPECT_EQ(window_of.begun(), 5);
}

TEST(SegmentWindow, may_begin_with_all_that_is_there) {
    const SegmentWindow all(7);
    EXPECT_EQ(all.begun(), 7);
    EXPECT_EQ(all.ended(), 7);
}

std::vector<ReductionStep> steps_of(ReductionSchedule& schedule) {
    std::vector<ReductionStep> steps;
    while (const auto step = schedule.next()) steps.push_back(*step);
    return steps;
}

TEST(ReductionSchedule, a_leaf_sends_a_window_and_waits) {
    ReductionSchedule leaf({0, true, false}, window + 1);
    auto steps = steps_of(leaf);
    ASSERT_EQ(steps.size(), 2U * window);
    EXPECT_EQ(steps[0], (ReductionStep{Kind::add_up, 0}));
    EXPECT_EQ(steps[1], (ReductionStep{Kind::send_up, 0}));
    EXPECT_FALSE(leaf.has_begun_all());
    leaf.completed(leaf.place_of({Kind::send_up, 1}));  // not the one that is waited for
    EXPECT_TRUE(steps_of(leaf).empty());
    leaf.completed(leaf.place_of({Kind::send_up, 0}));
    EXPECT_EQ(steps_of(leaf).size(), 2U);
    EXPECT_TRUE(leaf.has_begun_all());
}

TEST(ReductionSchedule, a_root_alone_has_its_result) {
    for (const bool comes_down : {false, true}) {
        ReductionSchedule root({0, false, comes_down}, 2);
        EXPECT_EQ(steps_of(root),
                  (std::vector<ReductionStep>{{Kind::add_up, 0}, {Kind::add_up, 1}}));
        EXPECT_TRUE(root.has_begun_all());
    }
}

TEST(ReductionSchedule, a_sum_needs_the_parts_of_all_children) {
    ReductionSchedule root({2, false, true}, 1);
    EXPECT_EQ(steps_of(root),
              (std::vector<ReductionStep>{{Kind::receive_part, 0, 0}, {Kind::receive_part, 0, 1}}));
    root.completed(root.place_of({Kind::receive_part, 0, 1}));
    EXPECT_TRUE(steps_of(root).empty());
    root.completed(root.place_of({Kind::receive_part, 0, 0}));
    EXPECT_EQ(steps_of(root),
              (std::vector<ReductionStep>{
                  {Kind::add_up, 0}, {Kind::pass_down, 0, 0}, {Kind::pass_down, 0, 1}}));
    EXPECT_TRUE(root.has_begun_all());
}

// The result goes into the memory of the sum, so the sum has to be sent first.
TEST(ReductionSchedule, a_result_is_received_when_the_sum_is_away) {
    ReductionSchedule leaf({0, true, true}, 1);
    EXPECT_EQ(steps_of(leaf).size(), 2U);
    leaf.completed(leaf.place_of({Kind::send_up, 0}));
    EXPECT_EQ(steps_of(leaf), (std::vector<ReductionStep>{{Kind::receive_result, 0}}));
    EXPECT_FALSE(leaf.has_begun_all());
    leaf.completed(leaf.place_of({Kind::receive_result, 0}));
    EXPECT_TRUE(leaf.has_begun_all());
}

/// A tree of processes 0, 1, ...: the parent of each, -1 for the root.
struct Tree {
    std::vector<int> parents;
    std::vector<std::vector<int>> children;

    explicit Tree(std::vector<int> of) : parents(std::move(of)), children(parents.size()) {
        for (std::size_t i = 1; i < parents.size(); ++i)
            children[static_cast<std::size_t>(parents[i])].push_back(static_cast<int>(i));
    }
};

/// A reduction of segments of one number each: process i gives 100 i + segment.
class Reduced {
  public:
    Reduced(const Tree& tree, std::int64_t segments, bool comes_down, unsigned seed)
        : tree_(tree), segments_(segments), comes_down_(comes_down), random_(seed) {
        for (std::size_t i = 0; i < tree.parents.size(); ++i)
            processes_.emplace_back(
                ReductionRole{tree.children[i].size(), tree.parents[i] >= 0, comes_down}, segments);
    }

    void to_the_end() {
        for (std::size_t i = 0; i < processes_.size(); ++i) go_on(i);
        while (deliver_one()) {
        }
        for (std::size_t i = 0; i < processes_.size(); ++i) {
            EXPECT_TRUE(processes_[i].schedule.has_begun_all()) << "process " << i;
            EXPECT_TRUE(processes_[i].posted.empty()) << "process " << i;
            if (i == 0 || comes_down_) expect_result(i);
        }
    }

  private:
    struct Request {
        ReductionStep step;
        std::size_t peer;
    };
    struct Process {
        ReductionSchedule schedule;
        std::map<std::size_t, Request> posted;  // by place
        std::map<std::pair<std::size_t, std::int64_t>, int> parts;
        std::map<std::int64_t, int> sums, results;
        Process(const ReductionRole& role, std::int64_t segments) : schedule(role, segments) {}
    };
    using Channel = std::pair<std::size_t, std::size_t>;

    static bool is_send(Kind kind) { return kind == Kind::send_up || kind == Kind::pass_down; }

    void go_on(std::size_t i) {
        auto& me = processes_[i];
        while (const auto step = me.schedule.next()) {
            if (step->kind == Kind::add_up) {
                add_up(i, step->segment);
                continue;
            }
            const auto place = me.schedule.place_of(*step);
            ASSERT_LT(place, ReductionSchedule::places(tree_.children[i].size()));
            const bool to_parent =
                step->kind == Kind::send_up || step->kind == Kind::receive_result;
            const auto peer = static_cast<std::size_t>(to_parent ? tree_.parents[i]
                                                                 : tree_.children[i][step->child]);
            ASSERT_TRUE(me.posted.emplace(place, Request{*step, peer}).second)
                << "a place is taken twice";
            auto& queue = is_send(step->kind) ? sends_[{i, peer}] : receives_[{peer, i}];
            queue.push_back(place);
        }
    }

    void add_up(std::size_t i, std::int64_t s) {
        auto& me = processes_[i];
        int sum = 100 * static_cast<int>(i) + static_cast<int>(s);
        for (std::size_t child = 0; child < tree_.children[i].size(); ++child)
            sum += me.parts.at({child, s});
        me.sums[s] = sum;
        if (i == 0) me.results[s] = sum;
    }

    // MPI matches in order. What is matched may complete in any order on each side; here a match
    // is chosen at random, and each side hears of it at a random time.
    bool deliver_one() {
        std::vector<Channel> ready;
        for (const auto& [channel, queue] : sends_)
            if (!queue.empty() && !receives_[channel].empty()) ready.push_back(channel);
        const auto choices = ready.size() + unheard_.size();
        if (choices == 0) return false;
        const auto at = std::uniform_int_distribution<std::size_t>(0, choices - 1)(random_);
        if (at < ready.size()) {
            match(ready[at]);
        } else {
            const auto heard = unheard_.begin() + static_cast<std::ptrdiff_t>(at - ready.size());
            const auto [who, place] = *heard;
            unheard_.erase(heard);
            processes_[who].posted.erase(place);
            processes_[who].schedule.completed(place);
            go_on(who);
        }
        return true;
    }

    void match(const Channel& channel) {
        const auto [from, to] = channel;
        const auto send_place = sends_[channel].front(), receive_place = receives_[channel].front();
        sends_[channel].pop_front();
        receives_[channel].pop_front();
        const auto sent = processes_[from].posted.at(send_place).step;
        const auto received = processes_[to].posted.at(receive_place).step;
        ASSERT_EQ(sent.segment, received.segment);
        if (sent.kind == Kind::send_up) {
            ASSERT_EQ(received.kind, Kind::receive_part);
            processes_[to].parts[{received.child, received.segment}] =
                processes_[from].sums.at(sent.segment);
        } else {
            ASSERT_EQ(received.kind, Kind::receive_result);
            processes_[to].results[received.segment] = processes_[from].results.at(sent.segment);
        }
        unheard_.emplace_back(from, send_place);
        unheard_.emplace_back(to, receive_place);
    }

    void expect_result(std::size_t i) {
        const int n = static_cast<int>(processes_.size());
        for (std::int64_t s = 0; s < segments_; ++s)
            EXPECT_EQ(processes_[i].results.at(s), 100 * n * (n - 1) / 2 + n * static_cast<int>(s));
    }

    const Tree& tree_;
    const std::int64_t segments_;
    const bool comes_down_;
    std::mt19937 random_;
    std::deque<Process> processes_;
    std::map<Channel, std::deque<std::size_t>> sends_, receives_;  // places, in order
    std::vector<std::pair<std::size_t, std::size_t>> unheard_;     // process and place
};

TEST(ReductionSchedule, sums_come_up_and_results_down_in_any_order_of_completion) {
    for (unsigned seed = 0; seed < 400; ++seed) {
        std::mt19937 random(seed);
        std::vector<int> parents{-1};
        const int size = static_cast<int>(random() % 9) + 1;
        for (int i = 1; i < size; ++i)
            parents.push_back(static_cast<int>(random() % static_cast<unsigned>(i)));
        const Tree tree(parents);
        const auto segments = static_cast<std::int64_t>(random() % (3UL * window)) + 1;
        Reduced(tree, segments, seed % 2 == 0, seed).to_the_end();
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

}  // namespace
}  // namespace ductile::groups::reduction_schedule_test
