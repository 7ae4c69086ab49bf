// A group on its host, with fakes around it: the effects of its life are carried out in order.
#include "agent/group_run.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <csignal>

#include "agent/input.hpp"
#include "agent/pmi_port.hpp"

namespace ductile::agent::group_run_test {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

constexpr core::GroupId group{3};

/// All calls of the group to the fakes, as lines.
struct Record {
    Lines lines;
    std::vector<wire::FromAgent> told;

    void add(const std::string& line) { lines.push_back(line); }
    [[nodiscard]] Lines take() { return std::exchange(lines, {}); }
    template <class Message>
    [[nodiscard]] std::vector<Message> all() const {
        std::vector<Message> found;
        for (const auto& one : told)
            if (const auto* message = std::get_if<Message>(&one)) found.push_back(*message);
        return found;
    }
};

struct FakeService : HostService {
    explicit FakeService(Record& what) : record(what) {}
    void started(StartedRank& rank) override {
        record.add("serve " + std::to_string(rank.who.rank.value));
    }
    void ended(const core::Process& who) override {
        record.add("served " + std::to_string(who.rank.value));
    }
    void mpi_runs(core::GroupId, pid_t) override { record.add("mpi runs"); }
    void group_ended(core::GroupId) override { record.add("group ended"); }
    Record& record;
};

class FakeGroup : public GroupRun {
  public:
    FakeGroup(const AgentContext& context, wire::StartRun what, Record& record)
        : GroupRun(context, std::move(what)), record_(record) {}
    void start(const wire::AgentWelcome&) override {}
    void tell_again() override {}
    [[nodiscard]] std::set<pid_t> children() const override { return {}; }
    bool child_reaped(pid_t, int) override { return false; }
    void starts(int rank) { rank_started({{group, core::Rank{rank}}, {}, {}}); }
    void ends(Place place, int code, bool after_job = false) {
        rank_ended(place, {code, 0, "", after_job});
    }

  private:
    void on_rank_message(Place place, const wire::FromRank&) override {
        record_.add("message of " + std::to_string(place));
    }
    void rank_leaves(Place place) override { record_.add("leaves " + std::to_string(place)); }
    void signal_rank(Place place, int number) override {
        record_.add("signal " + std::to_string(place) + " " + std::to_string(number));
    }
    void kill_launcher() override { record_.add("kill launcher"); }
    void release_companions() override { record_.add("release"); }
    [[nodiscard]] wire::RunEnded last_word(GroupCause cause) const override {
        return {group, static_cast<int>(cause), 0, {}};
    }
    Record& record_;
};

/// The connection of a rank. No rank is behind it.
struct FakeRank {
    std::shared_ptr<LocalPeer> peer;
    wire::Fd far_end;

    explicit FakeRank(asio::io_context& io) {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            throw std::runtime_error("socketpair");
        far_end = wire::Fd(ends[1]);
        peer = std::make_shared<LocalPeer>(
            asio::local::stream_protocol::socket(io, asio::local::stream_protocol(), ends[0]));
        peer->start();
    }
    void sends(const wire::FromRank& message) const {
        const auto frame = wire::to_frame(message);
        ASSERT_EQ(::write(far_end.get(), frame.data(), frame.size()),
                  static_cast<ssize_t>(frame.size()));
    }
    /// The types of the messages that it has got.
    [[nodiscard]] Lines heard() const {
        std::array<char, 65536> buffer{};
        const auto n = ::recv(far_end.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        wire::FrameReader reader;
        if (n > 0) reader.add({buffer.data(), static_cast<std::size_t>(n)});
        Lines types;
        while (const auto message = reader.next()) types.push_back(message->content().at("type"));
        return types;
    }
};

struct Bench {
    asio::io_context io;
    Record record;
    FakeService service{record};
    Input input{io, [] {}};
    PmiPort pmi_port{io, {}};
    const AgentContext context{io,
                               input,
                               pmi_port,
                               {&service},
                               {"test", "test.0.1.of_group_run_test", "/nowhere", "shim", {}},
                               [this](const wire::FromAgent& what) {
                                   record.told.push_back(what);
                                   const std::string type = wire::encode(what).content().at("type");
                                   record.add("tell " + type);
                               },
                               [](const std::string&) {},
                               [] { return std::set<pid_t>{}; },
                               [](core::GroupId) { return false; },
                               [this](core::GroupId) { record.add("over"); },
                               [](const std::string&) {}};
    std::shared_ptr<FakeGroup> run;
    std::vector<std::shared_ptr<LocalPeer>> peers;

    explicit Bench(int ranks, int first_rank = 0, wire::Role role = wire::Role::initial) {
        wire::StartRun what;
        what.group = group;
        what.ranks = ranks;
        what.first_rank = first_rank;
        wire::RankWelcome welcome;
        welcome.job = "test";
        welcome.role = role;
        what.welcome = welcome;
        run = std::make_shared<FakeGroup>(context, what, record);
    }
    // A group and the connections of its ranks own each other until the connections are closed.
    ~Bench() {
        for (const auto& peer : peers) peer->on_message = nullptr;
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    void start_all() {
        for (const auto place : all_places(*run)) run->starts(run->rank_at(place).value);
        (void)record.take();
    }
    FakeRank adopted(int rank) {
        FakeRank one(io);
        peers.push_back(one.peer);
        run->adopt_rank(one.peer, {group, core::Rank{rank}, ::getpid()});
        return one;
    }
    void poll() {
        io.restart();
        io.poll();
    }
};

std::string killed(int place) {
    return "signal " + std::to_string(place) + " " + std::to_string(SIGKILL);
}

TEST(GroupRun, ARankIsServedReportedAndItsGroupEndsInThisOrder) {
    Bench bench(2, 4);
    bench.run->starts(4);
    EXPECT_EQ(bench.record.take(), (Lines{"serve 4"}));
    bench.run->starts(5);
    (void)bench.record.take();
    bench.run->ends(0, 0);
    EXPECT_EQ(bench.record.take(), (Lines{killed(0), "served 4", "tell rank_ended"}));
    bench.run->ends(0, 1);
    EXPECT_EQ(bench.record.take(), Lines{}) << "it ends once";
    bench.run->ends(1, 7);
    EXPECT_EQ(bench.record.take(), (Lines{killed(1), "served 5", "tell rank_ended", "release",
                                          "group ended", "tell run_ended", "over"}));
    const auto ends = bench.record.all<wire::RankEnded>();
    ASSERT_EQ(ends.size(), 2u);
    EXPECT_EQ(ends[0].rank.value, 4);
    EXPECT_EQ(ends[1].code, 7);
    EXPECT_TRUE(has_failed(bench.run->life()));
}

TEST(GroupRun, WhatIsKilledIsKilledWithItsLauncher) {
    Bench bench(1);
    bench.start_all();
    bench.run->on(group_event::KillOrdered{});
    EXPECT_EQ(bench.record.take(), Lines{"kill launcher"});
    bench.run->on(group_event::KillOrdered{});
    EXPECT_EQ(bench.record.take(), Lines{}) << "once";
}

TEST(GroupRun, ARankIsWelcomedAndGetsWhatHasWaited) {
    Bench bench(2);
    bench.start_all();
    bench.run->send({0}, wire::BrokerLost{});
    const auto rank = bench.adopted(0);
    EXPECT_EQ(rank.heard(), (Lines{"rank_welcome", "broker_lost"}));
    bench.run->send(all_places(*bench.run), wire::BrokerBack{});
    EXPECT_EQ(rank.heard(), Lines{"broker_back"});
    EXPECT_EQ(bench.record.take(), Lines{"tell from_ranks"}) << "its hello";
}

TEST(GroupRun, WhoIsNoRankOfItIsRefused) {
    Bench bench(2, 4);
    bench.start_all();
    FakeRank one(bench.io);
    bench.peers.push_back(one.peer);
    const auto why = [&](int rank) -> std::string {
        try {
            bench.run->adopt_rank(one.peer, {group, core::Rank{rank}, ::getpid()});
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(why(3).find("has no rank 3 here"), std::string::npos);
    EXPECT_NE(why(6).find("has no rank 6 here"), std::string::npos);
    EXPECT_EQ(why(4), "");
    EXPECT_EQ(why(4), "");
    EXPECT_EQ(one.heard(), (Lines{"rank_welcome", "rank_welcome"}));
    EXPECT_NE(bench.record.told.size(), 0U);
    EXPECT_EQ(std::get<wire::Notice>(bench.record.told.back()).text,
              "a second program with a Job in rank g3.4 runs as a program that is not resized");
    bench.run->ends(1, 0);
    EXPECT_NE(why(5).find("has ended"), std::string::npos);
}

TEST(GroupRun, WhatARankSaysIsPassedOnAndCountsForItsLife) {
    Bench bench(1, 0, wire::Role::newcomer);
    bench.start_all();
    const auto rank = bench.adopted(0);
    (void)bench.record.take();
    rank.sends(wire::MpiRuns{});
    bench.poll();
    EXPECT_EQ(bench.record.take(), (Lines{"mpi runs", "message of 0"})) << "for the agent alone";
    rank.sends(wire::JoinedJob{});
    rank.sends(wire::Parked{true});
    bench.poll();
    EXPECT_EQ(bench.record.take(),
              (Lines{"message of 0", "tell from_ranks", "message of 0", "tell from_ranks"}));
    EXPECT_TRUE(bench.run->life().are_members());
    EXPECT_EQ(parked_places(*bench.run), std::vector<Place>{0});
    rank.sends(wire::RankHello{group, core::Rank{0}, ::getpid()});
    bench.poll();
    EXPECT_FALSE(rank.peer->open()) << "a second hello";
}

TEST(GroupRun, TheLastWordsOfARankComeBeforeItsEnd) {
    Bench bench(1);
    bench.start_all();
    const auto rank = bench.adopted(0);
    (void)bench.record.take();
    rank.sends(wire::Goodbye{});
    bench.run->ends(0, 0);
    EXPECT_EQ(bench.record.take(),
              (Lines{"message of 0", "tell from_ranks", killed(0), "served 0", "tell rank_ended",
                     "release", "group ended", "tell run_ended", "over"}));
    EXPECT_TRUE(bench.record.all<wire::RankEnded>().at(0).goodbye);
    EXPECT_FALSE(has_failed(bench.run->life()));
}

// A new broker hears of it by the inventory.
TEST(GroupRun, ALaterProgramEndsAsOneWithoutAJob) {
    Bench bench(1);
    bench.start_all();
    const auto rank = bench.adopted(0);
    rank.sends(wire::Goodbye{});
    bench.run->ends(0, 3, true);
    EXPECT_FALSE(bench.record.all<wire::RankEnded>().at(0).goodbye);
    EXPECT_FALSE(bench.record.all<wire::RankEnded>().at(0).hello);
    EXPECT_FALSE(inventory_of(*bench.run).ranks.at(0).goodbye);
    EXPECT_TRUE(has_failed(bench.run->life()));
}

TEST(GroupRun, LeaversAreToldApartAndKilledWhenTheirTimeIsOver) {
    Bench bench(2);
    bench.start_all();
    bench.run->on(group_event::LeaveOrdered{{1}, os::JobClock::now() + 5ms});
    EXPECT_EQ(bench.record.take(), Lines{"leaves 1"});
    bench.io.restart();
    bench.io.run_for(2s);  // until no timer is left
    EXPECT_EQ(bench.record.take(), Lines{killed(1)});
}

TEST(GroupRun, ItsInventorySaysHowEachRankStands) {
    Bench bench(3, 2);
    bench.start_all();
    const auto rank = bench.adopted(3);
    bench.run->ends(2, 9);
    const auto inventory = inventory_of(*bench.run);
    EXPECT_EQ(inventory.first_rank, 2);
    ASSERT_EQ(inventory.ranks.size(), 3u);
    EXPECT_FALSE(inventory.ranks[0].hello);
    EXPECT_TRUE(inventory.ranks[1].hello);
    EXPECT_FALSE(inventory.ranks[1].ended);
    EXPECT_TRUE(inventory.ranks[2].ended);
    EXPECT_EQ(inventory.ranks[2].code, 9);
}

TEST(GroupRun, ItsRanksNeedNotFollowEachOther) {
    Bench bench(0);
    wire::StartRun what;
    what.group = group;
    what.ranks = 3;
    what.first_rank = 1;
    what.numbers = {core::Rank{1}, core::Rank{4}, core::Rank{5}};
    FakeGroup run(bench.context, what, bench.record);
    EXPECT_EQ(run.rank_at(1), core::Rank{4});
    EXPECT_EQ(run.place_of(core::Rank{5}, "a test"), 2U);
    EXPECT_THROW((void)run.place_of(core::Rank{2}, "a test"), InputError);
    EXPECT_EQ(places_in(run, {group, {}, core::Rank{4}, 2}), (std::vector<Place>{1, 2}));
    EXPECT_EQ(inventory_of(run).rank_at(2), core::Rank{5});
    what.numbers.pop_back();
    EXPECT_THROW(FakeGroup(bench.context, what, bench.record), InputError);
}

TEST(GroupRun, ARangeOfItsRanksIsFoundByPlace) {
    Bench bench(3, 4);
    const auto found = [&](int id, int first, int count) {
        return places_in(*bench.run,
                         core::RankRange{core::GroupId{id}, {}, core::Rank{first}, count});
    };
    EXPECT_EQ(found(3, 5, 2), (std::vector<Place>{1, 2}));
    EXPECT_EQ(found(3, 0, 5), (std::vector<Place>{0}));
    EXPECT_EQ(found(2, 4, 3), (std::vector<Place>{}));
}

TEST(EffectQueue, WhatAnEffectBringsComesAfterWhatWaits) {
    EffectQueue<int> queue;
    std::vector<int> done;
    const auto carry_out = [&](auto&& self, int effect) -> void {
        done.push_back(effect);
        const auto next = [&](int one) { self(self, one); };
        if (effect == 1) queue.add({10, 11}, next);
    };
    queue.add({1, 2, 3}, [&](int effect) { carry_out(carry_out, effect); });
    EXPECT_EQ(done, (std::vector<int>{1, 2, 3, 10, 11}));
}

TEST(EffectQueue, AfterAnEffectThatFailsTheOthersAreStillCarriedOut) {
    EffectQueue<int> queue;
    std::vector<int> done;
    const auto carry_out = [&](int effect) {
        if (effect == 1) throw std::runtime_error("no");
        done.push_back(effect);
    };
    EXPECT_THROW(queue.add({1, 2}, carry_out), std::runtime_error);
    queue.add({3}, carry_out);
    EXPECT_EQ(done, (std::vector<int>{2, 3}));
}

}  // namespace
}  // namespace ductile::agent::group_run_test
