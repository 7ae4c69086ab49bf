// Groups of processes in memory: packets wait in their channels. A random channel delivers next.
#include "groups/group_protocol.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "ductile/error.hpp"
#include "groups/recent_map.hpp"
#include "tree/tree_check.hpp"

namespace ductile::groups::group_protocol_test {
namespace {

using tree::Colour;
using tree::ProcessId;

/// The key of the group of all processes. Its positions are those of the balanced tree.
constexpr GroupKey all_key{42};
constexpr int branching = 2;

/// Processes, and the packets on their way.
class World {
  public:
    World(int size, unsigned seed) : random_(seed) {
        for (int i = 0; i < size; ++i) processes_.emplace_back(ProcessId{i}, size);
        positions_.resize(processes_.size());
    }

    [[nodiscard]] int size() const { return static_cast<int>(processes_.size()); }
    GroupProtocol& at(int process) { return processes_[static_cast<std::size_t>(process)]; }
    /// The position of a process in its latest group, which a group's handle would keep.
    std::optional<tree::TreePosition>& position(int process) {
        return positions_[static_cast<std::size_t>(process)];
    }

    void send(int from, const PacketOutbox& out) {
        for (const auto& [to, words] : out) on_the_way_[{from, to.value}].push_back(words);
    }
    /// Delivers a packet of a random channel. Returns whether there was a packet.
    bool deliver_one() {
        std::erase_if(on_the_way_, [](const auto& channel) { return channel.second.empty(); });
        if (on_the_way_.empty()) return false;
        auto at = on_the_way_.begin();
        std::advance(at, static_cast<long>(random_() % on_the_way_.size()));
        const auto [from, to] = at->first;
        const Packet packet{ProcessId{from}, at->second.front()};
        at->second.pop_front();
        PacketOutbox out;
        this->at(to).on_packet(packet, out);
        send(to, out);
        return true;
    }
    void deliver_all() {
        while (deliver_one()) {
        }
    }

    /// All processes enrol, in a random order and at random times. `colours`: of each process; a
    /// process with -1 has no colour, and is in no group.
    void enrol(GroupKey enrolment, const tree::Method& method, const std::vector<int>& colours) {
        std::vector<int> order;
        for (int i = 0; i < size(); ++i) order.push_back(i);
        std::shuffle(order.begin(), order.end(), random_);
        for (const int process : order) {
            for (auto early = random_() % 4; early > 0; --early) deliver_one();
            const int colour = colours[static_cast<std::size_t>(process)];
            PacketOutbox out;
            at(process).enrol(
                {enrolment, method, tree::position_in_job(ProcessId{process}, size(), branching),
                 colour >= 0 ? std::optional(Colour{colour}) : std::nullopt},
                out);
            send(process, out);
            if (colour < 0) at(process).end_enrolling(enrolment);  // it does not wait
        }
        deliver_all();
        for (int process = 0; process < size(); ++process) {
            if (colours[static_cast<std::size_t>(process)] < 0) continue;
            position(process) = at(process).position(enrolment);
            ASSERT_TRUE(position(process)) << "process " << process;
            at(process).end_enrolling(enrolment);
        }
        deliver_all();
    }
    void open(int process, const GroupName& group) {
        PacketOutbox out;
        at(process).open(group, *position(process), out);
        send(process, out);
    }
    void close(int process, const GroupName& group) {
        PacketOutbox out;
        at(process).close(group, *position(process), out);
        send(process, out);
    }
    int ask(int process, const GroupName& group, int rank) {
        PacketOutbox out;
        const int question = at(process).ask(group, *position(process), rank, out);
        send(process, out);
        return question;
    }

  private:
    std::mt19937 random_;
    std::deque<GroupProtocol> processes_;
    std::vector<std::optional<tree::TreePosition>> positions_;
    std::map<std::pair<int, int>, std::deque<std::vector<std::int32_t>>> on_the_way_;
};

tree::Method method_of(tree::Algorithm algorithm) {
    const auto filler =
        algorithm == tree::Algorithm::shrink_and_balance ? tree::Filler::leaf : tree::Filler::none;
    return {algorithm, filler, branching};
}

/// Colours for enrol(): every third process is in no group, the others have colour 0.
std::vector<int> some_members(int size, unsigned seed) {
    std::vector<int> colours;
    for (int i = 0; i < size; ++i)
        colours.push_back((static_cast<unsigned>(i) * 7 + seed) % 3 == 0 ? -1 : 0);
    return colours;
}

std::map<int, int> process_by_rank(World& world) {
    std::map<int, int> holders;
    for (int i = 0; i < world.size(); ++i)
        if (world.position(i)) holders[world.position(i)->rank] = i;
    return holders;
}

TEST(GroupProtocol, a_group_is_a_tree_and_each_rank_is_found) {
    for (unsigned seed = 0; seed < 40; ++seed)
        for (const auto algorithm : tree::all_algorithms) {
            const GroupName group{all_key.next(0), Colour{0}};
            World world(11, seed);
            const auto colours = some_members(world.size(), seed);
            world.enrol(group.enrolment, method_of(algorithm), colours);
            ASSERT_FALSE(HasFatalFailure());
            std::vector<tree::TreePosition> positions;
            for (int i = 0; i < world.size(); ++i)
                if (world.position(i)) positions.push_back(*world.position(i));
            EXPECT_NO_THROW(tree::check_tree(positions));
            for (int i = 0; i < world.size(); ++i)
                EXPECT_FALSE(world.at(i).expects_packets()) << "process " << i;

            const auto holders = process_by_rank(world);
            // Some processes ask before others have opened the group.
            std::vector<std::tuple<int, int, int>> questions;
            for (const auto& [own, process] : holders) {
                world.open(process, group);
                for (const auto& [rank, holder] : holders)
                    if (rank != own)
                        questions.emplace_back(process, rank, world.ask(process, group, rank));
            }
            world.deliver_all();
            for (const auto& [process, rank, question] : questions) {
                ASSERT_TRUE(world.at(process).is_answered(question));
                EXPECT_EQ(world.at(process).take_answer(question, group, rank),
                          ProcessId{holders.at(rank)});
                EXPECT_EQ(world.at(process).known(group, rank), ProcessId{holders.at(rank)});
            }
        }
}

// A member may end a group while another one still looks for a rank of it.
TEST(GroupProtocol, a_group_that_others_have_ended_still_answers) {
    for (const auto algorithm : tree::all_algorithms) {
        const GroupName group{all_key.next(3), Colour{0}};
        World world(9, 1);
        world.enrol(group.enrolment, method_of(algorithm), std::vector<int>(9, 0));
        const auto holders = process_by_rank(world);
        for (int i = 0; i < 9; ++i) world.open(i, group);
        const int asker = holders.at(8);
        for (int i = 0; i < 9; ++i)
            if (i != asker) world.close(i, group);
        world.deliver_all();
        const int question = world.ask(asker, group, 5);
        world.deliver_all();
        EXPECT_EQ(world.at(asker).take_answer(question, group, 5), ProcessId{holders.at(5)});
        world.close(asker, group);
        EXPECT_FALSE(world.at(asker).known(group, 5));
    }
}

TEST(GroupProtocol, two_groups_of_a_process_have_labels_of_their_own) {
    World world(4, 5);
    const std::vector<int> everybody(4, 0);
    const auto method = method_of(tree::Algorithm::centralized);
    const GroupName first{all_key.next(0), Colour{0}};
    world.enrol(first.enrolment, method, everybody);
    const int label = world.position(0)->label;
    std::vector<std::optional<tree::TreePosition>> first_positions;
    for (int i = 0; i < 4; ++i) first_positions.push_back(world.position(i));
    for (int i = 0; i < 4; ++i) world.open(i, first);
    world.enrol(all_key.next(1), method, everybody);
    EXPECT_NE(world.position(0)->label, label);

    // The label of a group that has ended is free.
    for (int i = 0; i < 4; ++i) {
        world.position(i) = first_positions[static_cast<std::size_t>(i)];
        world.close(i, first);
    }
    world.enrol(all_key.next(2), method, everybody);
    EXPECT_EQ(world.position(0)->label, label);
}

TEST(GroupProtocol, a_label_may_be_in_use_beside_those_of_open_groups) {
    GroupProtocol alone(ProcessId{0}, 1);
    PacketOutbox out;
    GroupProtocol::Enrolling what{all_key.next(0), method_of(tree::Algorithm::centralized),
                                  tree::position_in_job(ProcessId{0}, 1, branching), Colour{0}, 1};
    alone.enrol(what, out);
    EXPECT_EQ(alone.position(what.key)->label, 2);
}

TEST(GroupProtocol, one_enrolment_at_a_time_is_waited_for) {
    GroupProtocol one(ProcessId{1}, 3);
    PacketOutbox out;
    GroupProtocol::Enrolling what{all_key.next(0), method_of(tree::Algorithm::centralized),
                                  tree::position_in_job(ProcessId{1}, 3, branching), Colour{0}};
    one.enrol(what, out);
    what.key = all_key.next(1);
    EXPECT_THROW(one.enrol(what, out), UsageError);
}

TEST(GroupProtocol, what_no_process_can_say_is_named) {
    GroupProtocol one(ProcessId{1}, 3);
    PacketOutbox out;
    for (const auto& words : std::vector<std::vector<std::int32_t>>{
             {}, {0}, {9, 0, 0}, {-1, 0, 0}, packet({PacketKind::build, all_key}, {})}) {
        try {
            one.on_packet({ProcessId{2}, words}, out);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const SystemError& error) {
            EXPECT_NE(std::string(error.what()).find("process 2 sent process 1"),
                      std::string::npos);
        }
    }
    EXPECT_TRUE(out.empty());
}

TEST(GroupProtocol, an_answer_that_comes_too_late_is_dropped) {
    GroupProtocol one(ProcessId{1}, 3);
    const GroupName group{all_key.next(0), Colour{0}};
    tree::TreePosition position;
    position.rank = 1;
    PacketOutbox out;
    const int question = one.ask(group, position, 2, out);
    EXPECT_FALSE(one.is_answered(question));
    EXPECT_FALSE(one.take_answer(question, group, 2));
    const std::int32_t answer[] = {question, 0};
    EXPECT_NO_THROW(
        one.on_packet({ProcessId{0}, packet({PacketKind::answer, group.enrolment}, answer)}, out));
    EXPECT_FALSE(one.known(group, 2));
}

TEST(RecentMap, keeps_its_last_entries) {
    RecentMap<int, char> map(2);
    map.add(1, 'a');
    map.add(1, 'b');
    map.add(2, 'c');
    EXPECT_EQ(*map.find(1), 'a');
    map.add(3, 'd');
    EXPECT_EQ(map.find(1), nullptr);
    EXPECT_EQ(*map.find(2), 'c');
    EXPECT_EQ(*map.find(3), 'd');
}

TEST(RankQueries, forgets_the_ranks_of_one_group) {
    RankQueries queries;
    queries.remember({7}, 1, ProcessId{3});
    queries.remember({7}, 9, ProcessId{4});
    queries.remember({8}, 1, ProcessId{5});
    queries.forget({7});
    EXPECT_FALSE(queries.known({7}, 1));
    EXPECT_FALSE(queries.known({7}, 9));
    EXPECT_EQ(queries.known({8}, 1), ProcessId{5});
}

}  // namespace
}  // namespace ductile::groups::group_protocol_test
