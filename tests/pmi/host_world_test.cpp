#include "pmi/host_world.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "ductile/error.hpp"
#include "pmi/limits.hpp"
#include "spawn_requests.hpp"

namespace ductile::pmi::host_world_test {
namespace {

const KvsName name = *KvsName::from_text("w");

/// A host with ranks 0 and 1 of a world of 4.
class Host {
  public:
    explicit Host(Gate gate = Gate::open, Mapping mapping = Mapping::known)
        : world_({name,
                  4,
                  {{WorldRank{0}, 0}, {WorldRank{1}, 5}},
                  {{"given", "before"}},
                  gate,
                  mapping}) {}

    Outbox say(int rank, std::string_view line) { return say_together(rank, {std::string(line)}); }
    Outbox say_together(int rank, const std::vector<std::string>& lines) {
        return step([&](Outbox& out) { world_.on_lines(WorldRank{rank}, lines, out); });
    }
    void next_program(int rank) { world_.on_next_program(WorldRank{rank}); }
    Outbox gone(int rank) {
        return step([&](Outbox& out) { world_.on_program_gone(WorldRank{rank}, out); });
    }
    Outbox ended(int rank) {
        return step([&](Outbox& out) { world_.on_rank_ended(WorldRank{rank}, out); });
    }
    Outbox leaves(int rank) {
        return step([&](Outbox& out) { world_.on_rank_leaves(WorldRank{rank}, out); });
    }
    template <class Message>
    Outbox hear(const Message& message) {
        return step([&](Outbox& out) { world_.on(message, out); });
    }
    Outbox name_answer(int rank, answer::NameResult result, std::string_view port = "") {
        return step(
            [&](Outbox& out) { world_.on_name_answer(WorldRank{rank}, result, port, out); });
    }
    Outbox spawn_answer(int rank, answer::SpawnResult result) {
        return step([&](Outbox& out) { world_.on_spawn_answer(WorldRank{rank}, result, out); });
    }
    Host& begin() {
        for (int rank : {0, 1}) say(rank, "cmd=init pmi_version=1 pmi_subversion=1");
        return *this;
    }
    template <class State>
    [[nodiscard]] bool is(int rank) const {
        return std::holds_alternative<State>(*world_.state_of(WorldRank{rank}));
    }
    [[nodiscard]] const HostWorld& world() const { return world_; }

  private:
    template <class Input>
    Outbox step(const Input& input) {
        Outbox out;
        input(out);
        return out;
    }
    HostWorld world_;
};

ToRank to(int rank, std::string line) {
    return {WorldRank{rank}, std::move(line)};
}

const std::string barrier_out = "cmd=barrier_out rc=0";
const std::vector<std::string> spawn_lines{"mcmd=spawn",   "nprocs=2",      "execname=a",
                                           "totspawns=1",  "spawnssofar=1", "argcnt=0",
                                           "preput_num=0", "info_num=0",    "endcmd"};

Outbox say_spawn(Host& host, int rank) {
    Outbox out;
    for (const auto& line : spawn_lines) out = host.say(rank, line);
    return out;
}

TEST(HostWorld, AnswersAsInTheTable) {
    Host host;
    const struct {
        const char *line, *answer;
    } table[] = {
        {"cmd=init pmi_version=1 pmi_subversion=1",
         "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"},
        {"cmd=get_maxes", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024 rc=0"},
        {"cmd=get_universe_size", "cmd=universe_size size=4 rc=0"},
        {"cmd=get_appnum", "cmd=appnum appnum=5 rc=0"},
        {"cmd=get_my_kvsname", "cmd=my_kvsname kvsname=w rc=0"},
        {"cmd=put kvsname=w key=k value=a b=c", "cmd=put_result rc=0 msg=success"},
        {"cmd=get kvsname=w key=k", "cmd=get_result rc=0 msg=success value=a b=c"},
        {"cmd=put kvsname=w key=k value=d", "cmd=put_result rc=0 msg=success"},
        {"cmd=get kvsname=w key=k", "cmd=get_result rc=0 msg=success value=d"},
        {"cmd=get kvsname=w key=given", "cmd=get_result rc=0 msg=success value=before"},
        {"cmd=get kvsname=w key=l", "cmd=get_result rc=-1 msg=key_not_found value=unknown"},
        {"cmd=get kvsname=w key=PARENT_ROOT_PORT_NAME",
         "cmd=get_result rc=-1 msg=key_not_found value=unknown"},
        {"cmd=put kvsname=w key=PMI_x value=v", "cmd=put_result rc=1 msg=reserved_key"},
        {"cmd=get kvsname=w key=PMI_x", "cmd=get_result rc=-1 msg=key_not_found value=unknown"},
    };
    for (const auto& row : table)
        EXPECT_EQ(host.say(1, row.line), Outbox{to(1, row.answer)}) << row.line;
    EXPECT_EQ(host.say(1, "cmd=finalize"),
              (Outbox{to(1, "cmd=finalize_ack rc=0"), Finalized{WorldRank{1}}}));
    EXPECT_EQ(host.ended(1), Outbox{});
}

TEST(HostWorld, NamesAreAskedOfTheServer) {
    using answer::NameResult;
    Host host;
    host.begin();
    EXPECT_EQ(host.say(0, "cmd=publish_name service=a s port=p"),
              (Outbox{Publish{WorldRank{0}, "a s", "p"}}));
    EXPECT_EQ(host.name_answer(1, NameResult::done), Outbox{});
    EXPECT_EQ(host.name_answer(0, NameResult::done),
              Outbox{to(0, "cmd=publish_result rc=0 msg=success")});
    EXPECT_EQ(host.name_answer(0, NameResult::done), Outbox{});
    host.say(0, "cmd=publish_name service=a s port=p");
    EXPECT_EQ(host.name_answer(0, NameResult::refused),
              Outbox{to(0, "cmd=publish_result rc=1 msg=service_already_published")});
    EXPECT_EQ(host.say(0, "cmd=unpublish_name service=s"), (Outbox{Unpublish{WorldRank{0}, "s"}}));
    EXPECT_EQ(host.name_answer(0, NameResult::done),
              Outbox{to(0, "cmd=unpublish_result rc=0 msg=success")});
    host.say(0, "cmd=unpublish_name service=s");
    EXPECT_EQ(host.name_answer(0, NameResult::refused),
              Outbox{to(0, "cmd=unpublish_result rc=1 msg=service_not_found")});
    EXPECT_EQ(host.say(0, "cmd=lookup_name service=s"), (Outbox{Lookup{WorldRank{0}, "s"}}));
    EXPECT_EQ(host.name_answer(0, NameResult::done, "q"),
              Outbox{to(0, "cmd=lookup_result rc=0 port=q")});
    host.say(0, "cmd=lookup_name service=s");
    EXPECT_EQ(host.name_answer(0, NameResult::refused),
              Outbox{to(0, "cmd=lookup_result rc=1 msg=service_not_found")});
}

TEST(HostWorld, ASpawnIsAskedOfTheServer) {
    Host host;
    host.begin();
    const SpawnRequest request{{{2, "a", {}, {}}}, {}};
    EXPECT_EQ(say_spawn(host, 0), (Outbox{SpawnAsked{WorldRank{0}, request}}));
    EXPECT_EQ(host.spawn_answer(0, answer::SpawnResult::started),
              Outbox{to(0, "cmd=spawn_result rc=0 errcodes=0,0")});
    EXPECT_EQ(host.spawn_answer(0, answer::SpawnResult::started), Outbox{});
    say_spawn(host, 0);
    EXPECT_EQ(host.spawn_answer(0, answer::SpawnResult::failed),
              Outbox{to(0, "cmd=spawn_result rc=-1 errcodes=1,1")});
}

TEST(HostWorld, ASpawnOfNobodyFailsAtOnce) {
    Host host;
    host.begin();
    Outbox last;
    for (const auto& line : spawn_lines) last = host.say(0, line == "nprocs=2" ? "nprocs=0" : line);
    EXPECT_EQ(last, Outbox{to(0, "cmd=spawn_result rc=-1 errcodes=")});
    EXPECT_TRUE(host.is<Idle>(0));
}

TEST(HostWorld, ABarrierIsReachedByAllAndReleasedOnce) {
    Host host;
    host.begin();
    host.say(1, "cmd=put kvsname=w key=k value=v");
    EXPECT_EQ(host.say(0, "cmd=barrier_in"), Outbox{});
    EXPECT_EQ(host.say(1, "cmd=barrier_in"),
              (Outbox{BarrierReached{BarrierRound{0}, {{"k", "v"}}}}));
    EXPECT_EQ(host.hear(BarrierReleased{BarrierRound{1}, {}}), Outbox{}) << "another round";
    const BarrierReleased released{BarrierRound{0}, {{"k", "v"}, {"l", "u"}}};
    EXPECT_EQ(host.hear(released), (Outbox{to(0, barrier_out), to(1, barrier_out)}));
    EXPECT_EQ(host.hear(released), Outbox{}) << "again";
    EXPECT_EQ(host.say(0, "cmd=get kvsname=w key=l"),
              Outbox{to(0, "cmd=get_result rc=0 msg=success value=u")});
    host.say(0, "cmd=barrier_in");
    EXPECT_EQ(host.say(1, "cmd=barrier_in"), (Outbox{BarrierReached{BarrierRound{1}, {}}}));
}

TEST(HostWorld, NobodyWaitsForThoseWhoEnd) {
    const struct {
        const char* how;
        std::function<Outbox(Host&)> end;
    } table[] = {
        {"its process ends", [](Host& host) { return host.ended(1); }},
        {"it leaves", [](Host& host) { return host.leaves(1); }},
        {"it aborts", [](Host& host) { return host.say(1, "cmd=abort exitcode=3"); }},
        {"it misbehaves", [](Host& host) { return host.say(1, "what?"); }},
    };
    const BarrierReached reached{BarrierRound{0}, {{"k", "v"}}};
    for (const auto& row : table) {
        Host host;
        host.begin();
        host.say(1, "cmd=put kvsname=w key=k value=v");
        host.say(0, "cmd=barrier_in");
        EXPECT_EQ(row.end(host).back(), Effect{reached}) << row.how;
        EXPECT_EQ(host.hear(BarrierReleased{BarrierRound{0}, {}}), Outbox{to(0, barrier_out)});
        EXPECT_EQ(host.ended(0).back(), Effect{LeftBarriers{}}) << row.how;
    }
}

TEST(HostWorld, TheNextProgramBeginsWhenAllHaveFinalised) {
    const std::string init = "cmd=init pmi_version=1 pmi_subversion=1";
    const auto begun = [](int rank) { return to(rank, answer::init()); };
    Host host(Gate::shut);
    host.begin().hear(ReleaseGate{});
    host.say(0, "cmd=put kvsname=w key=k value=old");
    host.next_program(0);
    EXPECT_EQ(host.say(0, "cmd=get_appnum").size(), 1U) << "it has not finalised";
    host.say(0, "cmd=finalize");
    host.next_program(0);
    EXPECT_EQ(host.say(0, init), Outbox{}) << "rank 1 has not finalised";
    EXPECT_EQ(host.say(1, "cmd=finalize").back(), Effect{begun(0)});
    EXPECT_EQ(host.say(0, "cmd=get_my_kvsname"), Outbox{to(0, "cmd=my_kvsname kvsname=w-2 rc=0")});
    for (const std::string key : {"k", "given", "PARENT_ROOT_PORT_NAME"})
        EXPECT_EQ(host.say(0, "cmd=get kvsname=w-2 key=" + key),
                  Outbox{to(0, answer::get(std::nullopt))})
            << key;
    EXPECT_EQ(host.say(1, init), Outbox{begun(1)}) << "over the same connection";
    EXPECT_EQ(host.say(0, init), (Outbox{Misbehaved{WorldRank{0}, "sends `init` twice"}}));
}

TEST(HostWorld, TheNextProgramNeedsAllRanks) {
    const std::string init = "cmd=init pmi_version=1 pmi_subversion=1";
    const Misbehaved broken{WorldRank{0},
                            "begins another MPI program, and a rank of its world has left or ended "
                            "(it runs alone by: env -u PMI_PORT PROGRAM)"};
    for (const bool ends : {true, false}) {
        Host host;
        host.begin().say(1, "cmd=finalize");
        host.say(0, "cmd=finalize");
        if (ends)
            host.ended(1);
        else
            host.leaves(1);
        EXPECT_EQ(host.say(0, init).front(), Effect{broken}) << ends;
    }
    Host waits;
    waits.begin().say(0, "cmd=finalize");
    EXPECT_EQ(waits.say(0, init), Outbox{});
    EXPECT_EQ(waits.ended(1).front(), Effect{broken});
}

TEST(HostWorld, AProgramThatIsGoneCountsAsFinalised) {
    const std::string init = "cmd=init pmi_version=1 pmi_subversion=1";
    for (const auto* open : {"", "cmd=barrier_in", "cmd=lookup_name service=s", "mcmd=spawn"}) {
        Host host;
        host.begin().say(1, "cmd=finalize");
        if (*open != '\0') host.say(0, open);
        EXPECT_EQ(host.gone(0), Outbox{}) << open;
        EXPECT_TRUE(host.is<Ended>(0)) << open;
        EXPECT_EQ(host.say(0, init), Outbox{to(0, answer::init())}) << open;
    }
}

// Loops of programs put no more keys than one.
TEST(HostWorld, EachProgramMayPutItsKeys) {
    const std::string init = "cmd=init pmi_version=1 pmi_subversion=1";
    HostWorld world({name, 1, {{WorldRank{0}, 0}}, {}});
    Outbox out;
    const auto say = [&](const std::string& line) { world.on_lines(WorldRank{0}, {line}, out); };
    for (std::size_t program = 1; program <= limits::puts_per_rank + 1; ++program) {
        const auto kvsname = program == 1 ? "w" : "w-" + std::to_string(program);
        say(init);
        say("cmd=put kvsname=" + kvsname + " key=k value=v");
        say("cmd=finalize");
    }
    for (const auto& effect : out) ASSERT_FALSE(std::holds_alternative<Misbehaved>(effect));
}

TEST(HostWorld, ALeaverIsAnsweredAtOnceAndOnce) {
    Host host;
    host.begin();
    host.say(0, "cmd=barrier_in");
    EXPECT_EQ(host.leaves(0), Outbox{to(0, barrier_out)}) << "before all have come";
    EXPECT_EQ(host.say(0, "cmd=barrier_in"), Outbox{to(0, barrier_out)});
    EXPECT_EQ(host.say(1, "cmd=barrier_in"), (Outbox{BarrierReached{BarrierRound{0}, {}}}));
    EXPECT_EQ(host.leaves(1), (Outbox{to(1, barrier_out), LeftBarriers{}})) << "after that";
    EXPECT_EQ(host.leaves(1), Outbox{});
    EXPECT_EQ(host.hear(BarrierReleased{BarrierRound{0}, {}}), Outbox{});
    EXPECT_EQ(host.say(1, "cmd=barrier_in"), Outbox{to(1, barrier_out)});
    EXPECT_EQ(host.ended(0), Outbox{});
}

TEST(HostWorld, TheGateHoldsAllChildren) {
    const std::string ask = "cmd=get kvsname=w key=PARENT_ROOT_PORT_NAME";
    Host host(Gate::shut);
    host.begin();
    EXPECT_EQ(host.say(0, ask), Outbox{});
    EXPECT_EQ(host.say(1, "cmd=get kvsname=w key=given").size(), 1U) << "other keys are not held";
    EXPECT_EQ(host.say(1, ask), Outbox{GateReached{}});
    const auto none = "cmd=get_result rc=-1 msg=key_not_found value=unknown";
    EXPECT_EQ(host.hear(ReleaseGate{}), (Outbox{to(0, none), to(1, none)}));
    EXPECT_EQ(host.hear(ReleaseGate{}), Outbox{});
    EXPECT_EQ(host.say(0, ask), Outbox{to(0, none)}) << "the gate stays open";
    EXPECT_EQ(host.ended(0), Outbox{});
}

TEST(HostWorld, WhoAsksForTheMappingWaitsUntilItIsKnown) {
    const std::string ask = "cmd=get kvsname=w key=PMI_process_mapping";
    for (const std::string mapping : {"(vector,(0,1,4))", ""}) {
        Host host(Gate::open, Mapping::awaited);
        host.begin();
        EXPECT_EQ(host.say(0, ask), Outbox{});
        EXPECT_EQ(host.say(0, "cmd=get_appnum"), Outbox{}) << "its next question waits, too";
        EXPECT_EQ(host.say(1, "cmd=barrier_in"), Outbox{});
        const auto answer =
            to(0, mapping.empty() ? answer::get(std::nullopt)
                                  : answer::get(std::optional<std::string_view>(mapping)));
        EXPECT_EQ(host.hear(MappingKnown{mapping}), (Outbox{answer, to(0, answer::appnum(0))}));
        EXPECT_EQ(host.hear(MappingKnown{"another"}), Outbox{});
        EXPECT_EQ(host.say(0, ask), Outbox{answer});
    }
    Host host(Gate::open, Mapping::awaited);
    host.begin().say(0, ask);
    EXPECT_EQ(host.ended(0), Outbox{});
    EXPECT_EQ(host.hear(MappingKnown{"late"}), Outbox{});
}

TEST(HostWorld, AChildThatEndsBeforeTheGateOpensIsTold) {
    const std::string ask = "cmd=get kvsname=w key=PARENT_ROOT_PORT_NAME";
    for (const bool has_asked : {false, true}) {
        Host host(Gate::shut);
        host.begin().say(0, ask);
        if (has_asked) host.say(1, ask);
        EXPECT_EQ(host.ended(1), Outbox{GateLost{WorldRank{1}}});
        EXPECT_EQ(host.ended(1), Outbox{});
        EXPECT_EQ(host.ended(0), (Outbox{GateLost{WorldRank{0}}, LeftBarriers{}}));
    }
}

TEST(HostWorld, AnotherThreadsQuestionWaitsForItsTurn) {
    Host host;
    host.begin();
    say_spawn(host, 0);
    for (const auto& line : spawn_lines) EXPECT_EQ(host.say(0, line), Outbox{});
    EXPECT_EQ(host.say(0, "cmd=barrier_in"), Outbox{});
    const auto out = host.spawn_answer(0, answer::SpawnResult::started);
    ASSERT_EQ(out.size(), 2U);
    EXPECT_EQ(out[0], Effect{to(0, "cmd=spawn_result rc=0 errcodes=0,0")});
    EXPECT_TRUE(std::holds_alternative<SpawnAsked>(out[1]));
    EXPECT_EQ(host.spawn_answer(0, answer::SpawnResult::failed).size(), 1U);
    EXPECT_TRUE(host.is<InBarrier>(0));
    EXPECT_EQ(host.world().bytes(), std::string("given"
                                                "before")
                                        .size());
}

TEST(HostWorld, ABarrierThatWaitsItsTurnIsTheNextOne) {
    Host host;
    host.begin();
    host.say(0, "cmd=barrier_in");
    host.say(0, "cmd=barrier_in");
    EXPECT_EQ(host.say(1, "cmd=barrier_in"), (Outbox{BarrierReached{BarrierRound{0}, {}}}));
    EXPECT_EQ(host.hear(BarrierReleased{BarrierRound{0}, {}}),
              (Outbox{to(0, barrier_out), to(1, barrier_out)}));
    EXPECT_EQ(host.say(1, "cmd=barrier_in"), (Outbox{BarrierReached{BarrierRound{1}, {}}}));
}

TEST(HostWorld, WhatARankMakesItKeepIsBounded) {
    Host asks, puts;
    asks.begin().say(0, "cmd=barrier_in");
    const std::string long_line = "cmd=lookup_name service=" + std::string(100000, 's');
    Outbox out;
    for (int i = 0; i < 100 && out.empty(); ++i) out = asks.say(0, long_line);
    ASSERT_FALSE(out.empty());
    EXPECT_EQ(out[0],
              (Effect{Misbehaved{WorldRank{0}, "asks too much while it waits for an answer"}}));
    EXPECT_LT(asks.world().bytes(), 100U);
    puts.begin();
    for (std::size_t i = 0; i < limits::puts_per_rank; ++i)
        EXPECT_EQ(puts.say(0, "cmd=put kvsname=w key=" + std::to_string(i) + " value=v").size(),
                  1U);
    EXPECT_EQ(puts.say(0, "cmd=put kvsname=w key=x value=v"),
              (Outbox{Misbehaved{WorldRank{0}, "puts too many keys"}}));
}

// Every command in every state: 'a' is answered, 'h' is held or passed on, 'q' is queued,
// 'A' aborts, 'm' counts as misbehaviour, '-' is ignored (the rest of a question that is open).
TEST(HostWorld, EveryStateTakesEveryCommand) {
    const std::string commands[] = {"cmd=init pmi_version=1 pmi_subversion=1",
                                    "cmd=get_maxes",
                                    "cmd=get_universe_size",
                                    "cmd=get_appnum",
                                    "cmd=get_my_kvsname",
                                    "cmd=put kvsname=w key=k value=v",
                                    "cmd=get kvsname=w key=k",
                                    "cmd=barrier_in",
                                    "cmd=publish_name service=s port=p",
                                    "cmd=unpublish_name service=s",
                                    "cmd=lookup_name service=s",
                                    "cmd=finalize",
                                    "cmd=abort exitcode=1",
                                    "mcmd=spawn",
                                    "cmd=put kvsname=other key=k value=v",
                                    "cmd=get kvsname=other key=k",
                                    "nonsense"};
    const std::string init = commands[0];
    const std::string ask = "cmd=get kvsname=w key=PARENT_ROOT_PORT_NAME";
    const struct {
        const char* state;
        std::vector<std::string> before;
        const char* expected;
    } table[] = {
        //                           i m u a k p g b p u l f A s P G n
        {"starting", {}, "ammmmmmmmmmmAmmmm"},
        {"idle", {init}, "maaaaaahhhhaAhmmm"},
        {"in a barrier", {init, "cmd=barrier_in"}, "qqqqqqqqqqqqAqqq-"},
        {"at the gate", {init, ask}, "qqqqqqqqqqqqAqqq-"},
        {"asking a name", {init, "cmd=lookup_name service=s"}, "qqqqqqqqqqqqAqqq-"},
        {"finalised", {init, "cmd=finalize"}, "hmmmmmmmmmmmmmmmm"},
        {"gone", {init, "cmd=abort"}, "-----------------"},
    };
    for (const auto& row : table) {
        for (std::size_t i = 0; i < std::size(commands); ++i) {
            Host host(Gate::shut);
            for (const auto& line : row.before) host.say(0, line);
            const auto keys = host.world().bytes();
            const auto state = host.world().state_of(WorldRank{0})->index();
            const auto out = host.say(0, commands[i]);
            const auto has = [&]<class What>(std::type_identity<What>) {
                return !out.empty() && std::holds_alternative<What>(out[0]);
            };
            const bool same = host.world().state_of(WorldRank{0})->index() == state;
            const char seen = has(std::type_identity<Misbehaved>{}) ? 'm'
                              : has(std::type_identity<Aborted>{})  ? 'A'
                              : has(std::type_identity<ToRank>{})   ? 'a'
                              : !same                               ? 'h'
                              : host.world().bytes() > keys         ? 'q'
                                                                    : '-';
            EXPECT_EQ(seen, row.expected[i]) << row.state << ": " << commands[i];
        }
    }
}

TEST(HostWorld, WithinASpawnEveryLineBelongsToIt) {
    Host host;
    host.begin().say(0, "mcmd=spawn");
    EXPECT_EQ(host.say(0, "cmd=finalize"), Outbox{});
    EXPECT_EQ(host.say(0, "nonsense"), Outbox{});
    EXPECT_EQ(
        host.say(0, "endcmd"),
        (Outbox{
            CallFailed{WorldRank{0}, "MPI_Comm_spawn",
                       "one of its texts has a line that begins with 'cmd', as lines of PMI-1 do"},
            to(0, "cmd=spawn_result rc=-1 errcodes=")}));
    EXPECT_TRUE(host.is<Idle>(0));
}

std::vector<std::string> spawn_of(const std::vector<std::string>& argument) {
    auto lines = spawn_lines;
    const auto at = std::ranges::find(lines, "argcnt=0");
    *at = "argcnt=1";
    lines.insert(at + 1, argument.begin(), argument.end());
    return lines;
}

TEST(HostWorld, AnArgumentMayHoldCommands) {
    const std::vector<std::string> text{"arg1=x", "cmd=abort exitcode=3", "endcmd", "mcmd=spawn"};
    const SpawnRequest request{{{2, "a", {"x\ncmd=abort exitcode=3\nendcmd\nmcmd=spawn"}, {}}}, {}};
    Host together, line_by_line, waiting;
    EXPECT_EQ(together.begin().say_together(0, spawn_of(text)),
              (Outbox{SpawnAsked{WorldRank{0}, request}}));
    Outbox last;
    line_by_line.begin();
    for (const auto& line : spawn_of(text)) last = line_by_line.say(0, line);
    EXPECT_EQ(last, (Outbox{SpawnAsked{WorldRank{0}, request}}));
    // Another thread has a question open.
    waiting.begin().say(0, "cmd=lookup_name service=s");
    for (const auto& line : spawn_of(text)) EXPECT_EQ(waiting.say(0, line), Outbox{});
    EXPECT_EQ(waiting.name_answer(0, answer::NameResult::done, "q"),
              (Outbox{to(0, "cmd=lookup_result rc=0 port=q"), SpawnAsked{WorldRank{0}, request}}));
}

TEST(HostWorld, WhatLooksLikeTheEndOfASpawnIsNoneIfMoreHasComeWithIt) {
    Host host;
    auto lines = spawn_of({"arg1=x", "preput_num=0", "info_num=0", "endcmd"});
    const Outbox refused{
        CallFailed{
            WorldRank{0}, "MPI_Comm_spawn",
            "one of its texts has a line that begins with 'preput_num', as lines of PMI-1 do"},
        to(0, "cmd=spawn_result rc=-1 errcodes=")};
    EXPECT_EQ(host.begin().say_together(0, lines), refused);
    lines.emplace_back("cmd=get_maxes");  // of another thread
    EXPECT_EQ(host.say_together(0, lines).size(), 3U);
    EXPECT_TRUE(host.is<Idle>(0));
}

// A request that comes together is carried out as it was made, or the call fails: nothing else
// happens, and a question of another thread that has come with it is answered.
RC_GTEST_PROP(HostWorld, ASpawnIsOneCallWhateverItsTexts, ()) {
    const auto request = any_request();
    const bool another_thread_asks = *rc::gen::arbitrary<bool>();
    auto lines = lines_of(request, *rc::gen::arbitrary<bool>());
    lines.insert(lines.begin(), "mcmd=spawn");
    if (another_thread_asks) lines.emplace_back("cmd=get_maxes");
    Host host;
    auto out = host.begin().say_together(0, lines);
    RC_ASSERT(!out.empty());
    if (const auto* asked = std::get_if<SpawnAsked>(out.data())) {
        RC_ASSERT(asked->request == request);
        RC_ASSERT(out.size() == 1U);
        out = host.spawn_answer(0, answer::SpawnResult::started);
    } else {
        RC_ASSERT(std::holds_alternative<CallFailed>(out.front()));
        out.erase(out.begin());
    }
    RC_ASSERT(out.size() == (another_thread_asks ? 2U : 1U));
    for (const auto& effect : out) RC_ASSERT(std::holds_alternative<ToRank>(effect));
    RC_ASSERT(host.is<Idle>(0));
}

TEST(HostWorld, ACallWithABadNameFails) {
    Host host;
    EXPECT_EQ(host.begin().say(0, "cmd=lookup_name service="),
              (Outbox{CallFailed{WorldRank{0}, "MPI_Lookup_name", "it gives an empty service"},
                      to(0, "cmd=lookup_result rc=1 msg=service_not_found")}));
    EXPECT_EQ(host.say_together(0, {"cmd=publish_name service=a", "b port=p"}),
              (Outbox{Publish{WorldRank{0}, "a\nb", "p"}}));
    EXPECT_EQ(host.say_together(0, {"cmd=lookup_name service=a", "b", "cmd=barrier_in"}), Outbox{});
}

TEST(HostWorld, UnknownRanksAreIgnored) {
    Host host;
    EXPECT_EQ(host.say(2, "cmd=init pmi_version=1 pmi_subversion=1"), Outbox{});
    EXPECT_EQ(host.ended(2), Outbox{});
    EXPECT_EQ(host.leaves(-1), Outbox{});
    EXPECT_EQ(host.spawn_answer(7, answer::SpawnResult::failed), Outbox{});
}

TEST(HostWorld, OptionsAreChecked) {
    const auto make = [](int size, std::vector<WorldOptions::Rank> ranks) {
        return HostWorld({name, size, std::move(ranks), {}, Gate::open});
    };
    EXPECT_NO_THROW(make(1, {{WorldRank{0}, 0}}));
    EXPECT_THROW(make(1, {}), InputError);
    EXPECT_THROW(make(0, {{WorldRank{0}, 0}}), InputError);
    EXPECT_THROW(make(2, {{WorldRank{0}, 0}, {WorldRank{0}, 0}}), InputError);
    EXPECT_THROW(make(1, {{WorldRank{-1}, 0}}), InputError);
    EXPECT_THROW(make(1, {{WorldRank{0}, -1}}), InputError);
}

}  // namespace
}  // namespace ductile::pmi::host_world_test
