#include "broker/resize_requests.hpp"

#include <gtest/gtest.h>

#include "core/overloaded.hpp"
#include "job_view.hpp"

namespace ductile::broker::resize_requests_test {
namespace {

using core::HostIndex;
using core::TransactionId;
using Life = RequestContext::Life;
using Words = std::vector<std::string>;

std::string word(const RequestEffect& effect) {
    return std::visit(
        core::Overloaded{
            [](const Answer& e) { return e.reply.text; },
            [](const AskForHosts& e) { return "ask for " + std::to_string(e.need.request.hosts); },
            [](const WithdrawHosts&) { return std::string("withdraw"); },
            [](const StartWorld&) { return std::string("start"); },
            [](const Accept& e) { return "accept " + std::to_string(e.planned.after.size()); },
            [](const CallOffAndAskAgain& e) { return "ask again: " + e.why; },
            [](const TakeUp&) { return std::string("take up"); },
            [](const TellResize&) { return std::string("call off"); },
            [](const NotifyUser& e) { return "notify " + e.text; },
            [](const RecordStep& e) { return "journal: " + std::string(e.step); },
            [](const RecordEvent& e) { return std::string(e.name); },
            [](const resize::EndJob& e) { return "end: " + e.why; },
        },
        effect);
}

/// A job of 4 ranks on two of its three hosts.
JobSpec spec_of_4_to_8() {
    JobSpec spec;
    spec.ranks = {4, 8};
    return spec;
}

struct Requests : testing::Test {
    Requests() {
        hosts.all = view.allocation;
        hosts.come_and_go = true;
    }
    [[nodiscard]] RequestContext now() const {
        return {life, view, groups, open ? &*open : nullptr, hosts, since, TransactionId{7}, {}};
    }
    Words taken(const RequestEffects& effects) {
        Words all;
        for (const auto& effect : effects) {
            all.push_back(word(effect));
            if (const auto* ask = std::get_if<AskForHosts>(&effect)) asked = *ask;
        }
        return all;
    }
    NextStep to(int lower, int upper) {
        NextStep step;
        step.request.goal = NewSize{core::SizeRange{lower, upper}};
        step.respond = [](const wire::Reply&, bool) {};
        return step;
    }
    Words request(const NextStep& step) {
        RequestEffects effects;
        requests.on_resize(step, now(), effects);
        return taken(effects);
    }
    Words ready(int count) {
        RequestEffects effects;
        const std::vector<HostIndex> all(static_cast<std::size_t>(count), HostIndex{2});
        requests.on_hosts_ready({asked.need.wanted_by, all}, now(), effects);
        return taken(effects);
    }
    Words denied() {
        RequestEffects effects;
        requests.on_hosts_denied({asked.need.wanted_by, "none is free"}, now(), effects);
        return taken(effects);
    }
    Words next() {
        RequestEffects effects;
        static_cast<void>(requests.start_next(now(), effects));
        return taken(effects);
    }
    Words leave() {
        RequestEffects effects;
        requests.leave_revoked_hosts(now(), effects);
        return taken(effects);
    }
    void open_growth() {
        resize::ResizePlan plan;
        plan.id = plan.asked_as = TransactionId{6};
        plan.before = view.layout;
        plan.added = {{core::GroupId{2}, HostIndex{2}, 2}};
        plan.after = plan.before.with(plan.added);
        open.emplace(plan);
    }

    Life life = Life::running;
    JobView view = job(3, 2);
    GroupTable groups;
    HostsForRequests hosts;
    SinceResize since;
    std::optional<resize::ResizeOperation> open;
    AskForHosts asked;
    Words notices;
    ResizeRequests requests{spec_of_4_to_8(),
                            [this](const std::string& text) { notices.push_back(text); }};
};

TEST_F(Requests, WhatTheProgramSaysLaterTakesThePlaceOfWhatItSaidBefore) {
    const auto say = [&](int max, bool one_world) {
        wire::CodeOptions said;
        said.max = max;
        said.one_world = one_world;
        RequestEffects effects;
        requests.on_code_options(said, effects);
        return taken(effects);
    };
    EXPECT_EQ(say(0, true), Words());
    EXPECT_EQ(requests.limits().max.value, 0);
    EXPECT_TRUE(requests.limits().one_world.value);
    EXPECT_EQ(say(4, true), Words());
    EXPECT_EQ(requests.limits().max.value, 4);
    EXPECT_EQ(say(8, false), Words());
    EXPECT_EQ(requests.limits().max.value, 8);
    EXPECT_FALSE(requests.limits().one_world.value);
}

TEST_F(Requests, AUsersLimitThatTheProgramDoesNotAllowIsSaidOnce) {
    auto spec = spec_of_4_to_8();
    spec.limits.max = {16, Origin::command_line};
    ResizeRequests of_16(spec, [](const std::string&) {});
    wire::CodeOptions said;
    said.max = 8;
    RequestEffects effects;
    of_16.on_code_options(said, effects);
    of_16.on_code_options(said, effects);  // by the rank 0 of another world
    EXPECT_EQ(taken(effects).size(), 1u);
    EXPECT_EQ(of_16.limits().max.value, 8);
}

TEST_F(Requests, OneThatFitsBeginsAtOnce) {
    EXPECT_EQ(request(to(6, 6)), Words{"accept 6"});
    EXPECT_TRUE(requests.queue().is_empty());
}

TEST_F(Requests, NoneBeginsWhenTheJobDoesNotRun) {
    for (const auto& [state, why] :
         {std::pair{Life::ending, "the job is ending"},
          std::pair{Life::recovering, "the job is just being taken over by this broker"}}) {
        life = state;
        EXPECT_EQ(request(to(6, 6)), Words{why});
    }
}

TEST_F(Requests, WhatIsOpenIsWaitedForOrReplaced) {
    open_growth();
    auto step = to(2, 2);
    step.request.dry_run = true;
    EXPECT_EQ(request(step), Words{"a resize is pending"});
    EXPECT_EQ(request(to(4, 4)), Words{"journal: a request waits for its turn"});
    step = to(3, 3);
    step.request.replace = true;
    EXPECT_EQ(request(step), (Words{"journal: a request waits for its turn", "call off"}));
    EXPECT_EQ(next(), Words{});
    open.reset();
    EXPECT_EQ(next(), Words{"accept 3"});
    const auto words = next();
    ASSERT_EQ(words.size(), 2U) << "4 ranks are there already";
    EXPECT_EQ(words[1], "journal: a request that waited is answered");
}

// In their order, as that broker had them.
TEST_F(Requests, WhatWaitedForABrokerThatDiedIsCarriedOn) {
    Snapshot known;
    known.stage = Stage::running;
    known.waiting = {{to(6, 6).request, {}}, {to(20, 20).request, {}}};
    requests.restore(known);
    EXPECT_EQ(notices, Words{"2 requests that waited for their turn are carried on"});
    EXPECT_EQ(next(), Words{"accept 6"});
    hosts.no_more = "it has ended";
    RequestEffects effects;
    ASSERT_TRUE(requests.start_next(now(), effects));
    const auto* answer = std::get_if<Answer>(&effects.front());
    ASSERT_NE(answer, nullptr);
    answer->asker(answer->reply, true);
    EXPECT_TRUE(notices.back().starts_with("the resize ends here: ")) << notices.back();
}

TEST_F(Requests, NothingIsCarriedOnInAJobThatEnds) {
    Snapshot known;
    known.stage = Stage::finishing;
    known.waiting = {{to(6, 6).request, {}}};
    requests.restore(known);
    EXPECT_TRUE(requests.queue().is_empty());
    EXPECT_EQ(notices, Words{});
}

TEST_F(Requests, HostsAreAskedForAndDryRunsSaySo) {
    auto step = to(10, 10);
    step.request.dry_run = true;
    EXPECT_EQ(request(step), Words{"2 more hosts of 2 slots would be asked for\n"});
    EXPECT_EQ(request(to(10, 10)), (Words{"hosts_asked", "ask for 2"}));
    EXPECT_EQ(asked.said->reply.text, "resize 7: 2 more hosts are asked for");
    EXPECT_EQ(request(to(6, 6)), Words{"journal: a request waits for its turn"})
        << "it waits for the one that waits for hosts";
}

TEST_F(Requests, WhoWaitsForHostsIsReplaced) {
    request(to(10, 10));
    auto step = to(6, 6);
    step.request.replace = true;
    EXPECT_EQ(request(step), (Words{"withdraw", "replaced by another request", "take up"}));
    EXPECT_EQ(request(step), Words{"accept 6"});
}

TEST_F(Requests, HostsThatCannotBeAskedForAreRefused) {
    request(to(10, 10));
    RequestEffects effects;
    requests.on_asked(asked, "the disk is full", effects);
    EXPECT_EQ(taken(effects), Words{"the disk is full"});
    EXPECT_TRUE(requests.queue().is_empty());
}

TEST_F(Requests, APartOfTheHostsLeadsToASmallerSize) {
    request(to(10, 10));
    EXPECT_EQ(ready(1), Words{"hosts_granted"});
    EXPECT_EQ(next(), Words{"accept 6"});
}

TEST_F(Requests, AfterADenialNoMoreAreAskedFor) {
    request(to(10, 10));
    EXPECT_EQ(denied(), Words{"hosts_denied"});
    const auto words = next();
    ASSERT_EQ(words.size(), 2U);
    EXPECT_TRUE(words[0].ends_with("; none is free")) << words[0];
    EXPECT_EQ(words[1], "journal: a request that waited is answered");
}

TEST_F(Requests, TheFirstHostsOfARangeMayBeFewer) {
    life = Life::starting;
    RequestEffects effects;
    requests.ask_for_first_hosts(Aim::largest, now(), effects);
    EXPECT_EQ(taken(effects), (Words{"hosts_asked", "ask for 4"}));
    EXPECT_EQ(denied(), (Words{"hosts_denied", "hosts_asked", "ask for 2"}));
    EXPECT_EQ(denied(), (Words{"hosts_denied", "end: cannot start the job: none is free"}));
}

TEST_F(Requests, WhatIsAlreadyThereIsSaidWithWhyThereIsNoMore) {
    EXPECT_EQ(request(to(4, 20)), (Words{"hosts_asked", "ask for 7"}));
    view = job(2, 2);
    hosts.all = view.allocation;
    denied();
    const auto said = next();
    ASSERT_EQ(said.size(), 2u);
    EXPECT_TRUE(said[0].ends_with("; none is free")) << said[0];
}

TEST_F(Requests, NothingIsAskedForWhenTheManagerHasGone) {
    hosts.no_more = "it has ended";
    view = job(2, 2);
    hosts.all = view.allocation;
    for (const auto& range : {to(4, 20), to(20, 20)}) {
        const auto said = request(range);
        ASSERT_EQ(said.size(), 1u);
        EXPECT_TRUE(said[0].ends_with("; it has ended")) << said[0];
    }
}

TEST_F(Requests, ARevokedHostIsLeftAndWhatNeedsItCalledOff) {
    hosts.revoked[HostIndex{2}] = {};
    EXPECT_EQ(leave(), Words{}) << "it has no ranks";
    open_growth();
    EXPECT_EQ(leave(), Words{"ask again: host h2 is taken back"});
    open.reset();
    hosts.revoked = {{HostIndex{1}, {}}};
    EXPECT_EQ(leave(), Words{"accept 2"});
}

TEST_F(Requests, ARevokedHostWithChildrenIsNotLeftAndItIsSaidWhy) {
    const auto said = [&] {
        const HostMustGo must_go{HostIndex{1}, hosts.revoked.begin()->second};
        return std::get<RecordEvent>(news_of(must_go, now()).at(0)).fields;
    };
    hosts.revoked = {{HostIndex{1}, {}}};
    EXPECT_FALSE(said().contains("cannot_leave"));
    auto& children = groups.add({core::GroupId{4}, HostIndex{1}, 1});
    children.role = GroupRole::child;
    EXPECT_EQ(leave(), Words{});
    EXPECT_EQ(said().at("cannot_leave"),
              "processes run on h1 that the program has started itself by MPI_Comm_spawn");
    children.over_on.insert(HostIndex{1});
    EXPECT_EQ(leave(), Words{"accept 2"});
}

TEST_F(Requests, WhenAllAreDroppedEachIsAnsweredOnce) {
    request(to(10, 10));
    request(to(6, 6));
    RequestEffects effects;
    requests.drop_all(wire::ReplyKind::refused, "the program has ended", effects);
    requests.drop_all(wire::ReplyKind::refused, "again", effects);
    EXPECT_EQ(taken(effects),
              (Words{"withdraw", "the program has ended", "the program has ended"}));
}

}  // namespace
}  // namespace ductile::broker::resize_requests_test
