// Worlds on one machine, driven by the PMI-1 lines of their ranks.
#include "cli/doctor/local_worlds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ductile::cli::local_worlds_test {
namespace {

constexpr const char* init = "cmd=init pmi_version=1 pmi_subversion=1";

pmi::KvsName name(std::uint64_t number) {
    return pmi::KvsName(pmi::RandomBits{1, number});
}

class Worlds : public testing::Test {
  protected:
    static WorldMember member(std::size_t world, int rank) {
        return {WorldNumber{world}, pmi::WorldRank{rank}};
    }
    LocalOutbox say(std::size_t world, int rank, const std::string& line) {
        LocalOutbox out;
        worlds_.on_lines(member(world, rank), {std::string(line)}, out);
        return out;
    }
    LocalOutbox end(std::size_t world, int rank) {
        LocalOutbox out;
        worlds_.on_rank_ended(member(world, rank), out);
        return out;
    }
    static LocalEffect answer(std::size_t world, int rank, const std::string& line) {
        return SendToRank{member(world, rank), line};
    }
    /// A world of one rank that asks for `ranks` children, which are added as the next world.
    void spawn(int ranks) {
        worlds_.add(name(1), 1);
        say(0, 0, init);
        for (const auto& line :
             {std::string("mcmd=spawn"), "nprocs=" + std::to_string(ranks),
              std::string("execname=/bin/child"), std::string("totspawns=1"),
              std::string("spawnssofar=1"), std::string("argcnt=0"), std::string("preput_num=1"),
              std::string("preput_key_0=PARENT_ROOT_PORT_NAME"), std::string("preput_val_0=tag$1"),
              std::string("info_num=0")})
            EXPECT_EQ(say(0, 0, line), LocalOutbox{});
        const auto out = say(0, 0, "endcmd");
        ASSERT_EQ(out.size(), 1U);
        const auto& wanted = std::get<SpawnWanted>(out[0]);
        EXPECT_EQ(wanted.by, member(0, 0));
        EXPECT_EQ(wanted.request.ranks(), ranks);
        worlds_.add_spawned(name(2), wanted);
        for (int rank = 0; rank < ranks; ++rank) say(1, rank, init);
    }
    LocalOutbox ask_for_parent(int rank) {
        return say(1, rank, "cmd=get kvsname=" + name(2).text() + " key=PARENT_ROOT_PORT_NAME");
    }

    LocalWorlds worlds_;
};

TEST_F(Worlds, ARankHasSpokenOnceItSaysInit) {
    worlds_.add(name(1), 2);
    EXPECT_FALSE(worlds_.has_spoken(member(0, 0)));
    EXPECT_EQ(
        say(0, 0, init),
        LocalOutbox{answer(0, 0, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0")});
    EXPECT_TRUE(worlds_.has_spoken(member(0, 0)));
    say(0, 0, "cmd=finalize");
    end(0, 0);
    EXPECT_TRUE(worlds_.has_spoken(member(0, 0))) << "it is remembered";
    const auto out = say(0, 1, "GET / HTTP/1.1");
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(std::get<KillRank>(out[0]).which, member(0, 1));
    EXPECT_FALSE(worlds_.has_spoken(member(0, 1))) << "this is another protocol";
}

TEST_F(Worlds, ABarrierIsAnsweredOnceAllAreThere) {
    worlds_.add(name(1), 2);
    for (int rank = 0; rank < 2; ++rank) say(0, rank, init);
    EXPECT_EQ(say(0, 0, "cmd=barrier_in"), LocalOutbox{});
    EXPECT_EQ(say(0, 1, "cmd=barrier_in"), (LocalOutbox{answer(0, 0, "cmd=barrier_out rc=0"),
                                                        answer(0, 1, "cmd=barrier_out rc=0")}));
}

TEST_F(Worlds, RanksAreToldThatTheyShareAMachine) {
    worlds_.add(name(1), 2);
    say(0, 0, init);
    EXPECT_EQ(say(0, 0, "cmd=get kvsname=" + name(1).text() + " key=PMI_process_mapping"),
              LocalOutbox{answer(0, 0, "cmd=get_result rc=0 msg=success value=(vector,(0,1,2))")});
}

TEST_F(Worlds, NamesAreSeenByAllWorlds) {
    worlds_.add(name(1), 1);
    worlds_.add(name(2), 1);
    say(0, 0, init);
    say(1, 0, init);
    EXPECT_EQ(say(1, 0, "cmd=lookup_name service=s"),
              LocalOutbox{answer(1, 0, "cmd=lookup_result rc=1 msg=service_not_found")});
    say(0, 0, "cmd=publish_name service=s port=p");
    const auto found = say(1, 0, "cmd=lookup_name service=s");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(std::get<SendToRank>(found[0]).line.find("port=p"), std::string::npos);
}

TEST_F(Worlds, ASpawnIsAnsweredOnceAllChildrenAskForTheirParent) {
    spawn(2);
    EXPECT_EQ(ask_for_parent(0), LocalOutbox{});
    const std::string port = "cmd=get_result rc=0 msg=success value=tag$1";
    EXPECT_EQ(ask_for_parent(1), (LocalOutbox{answer(1, 0, port), answer(1, 1, port),
                                              answer(0, 0, "cmd=spawn_result rc=0 errcodes=0,0")}))
        << "the children first";
}

TEST_F(Worlds, AChildThatDiesBeforeFailsTheSpawn) {
    spawn(2);
    ask_for_parent(0);
    const auto out = end(1, 1);
    ASSERT_EQ(out.size(), 2U);
    EXPECT_NE(std::get<SendToRank>(out[0]).line.find("cmd=spawn_result rc=-1"), std::string::npos);
    EXPECT_EQ(out[1], LocalEffect{KillWorld{WorldNumber{1}}});
    EXPECT_EQ(end(1, 0), LocalOutbox{}) << "the parent is answered once";
}

TEST_F(Worlds, AParentThatDiesIsNotAnswered) {
    spawn(1);
    end(0, 0);
    const auto out = ask_for_parent(0);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(std::get<SendToRank>(out[0]).to, member(1, 0));
}

}  // namespace
}  // namespace ductile::cli::local_worlds_test
