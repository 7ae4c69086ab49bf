#include "broker/resize_requests.hpp"

#include <gtest/gtest.h>

#include "../resize/resize_fixture.hpp"
#include "core/overloaded.hpp"
#include "job_view.hpp"

namespace ductile::broker::resize_requests_test {
namespace {

using namespace std::chrono_literals;
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

constexpr auto without_h1 =
    "without h1 the job would have 2 ranks, and a size of 2 is below min 3 (command line)";

/// A job that was requested with 4 to 8 ranks. In `Requests` it has 4 ranks, on two of three hosts.
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
            if (const auto* accept = std::get_if<Accept>(&effect)) after = accept->planned.after;
        }
        return all;
    }
    NextStep to(int lower, int upper) {
        NextStep step;
        step.request.goal = NewSize{core::SizeRange{lower, upper}};
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
    /// Why the job cannot leave a host that is taken back, as its records say. Empty if it can.
    std::string cannot_leave(HostIndex host) {
        const auto news = news_of({host, hosts.revoked.at(host)}, now());
        for (const auto& [name, value] : std::get<RecordEvent>(news.at(0)).fields)
            if (name == "cannot_leave") return std::get<std::string>(value);
        return {};
    }
    void open_growth() {
        resize::ResizePlan plan;
        plan.id = plan.asked_as = TransactionId{6};
        plan.before = view.layout;
        plan.added = {{core::GroupId{2}, HostIndex{2}, 2}};
        plan.after = plan.before.with(plan.added);
        open.emplace(plan);
    }

    /// A shrink that removes the last rank. The program has reached its point.
    void open_switch() {
        resize::ResizePlan plan;
        plan.id = plan.asked_as = TransactionId{6};
        plan.before = plan.after = view.layout;
        plan.after.active.back().ranks = 1;
        open.emplace(plan);
        tell(resize::Begin{});
        for (const auto& rank : ranks()) tell(resize::PointAnswered{rank, 1, 5, false});
        tell(resize::Arrived{ranks().front()});
    }
    void end_switch() {
        resize::SwitchReport report;
        report.committed = true;
        for (const auto& rank : ranks()) tell(resize::SwitchDone{rank, report});
        ASSERT_TRUE(open->is_over());
        view.layout = open->plan().after;
        open.reset();
    }
    [[nodiscard]] std::vector<core::Process> ranks() const {
        std::vector<core::Process> all;
        for (int i = 0; i < view.layout.size(); ++i) all.push_back(view.layout.at(core::Rank{i}));
        return all;
    }
    /// Tells the resize an event. The journal accepts each entry.
    void tell(const resize::Event& event) {
        resize::Effects effects;
        open->on(event, effects);
        for (const auto& effect : effects)
            if (const auto* record = std::get_if<resize::Record>(&effect);
                record != nullptr && record->required)
                tell(resize::Recorded{});
    }

    Life life = Life::running;
    JobView view = job(3, 2);
    GroupTable groups;
    HostsForRequests hosts;
    SinceResize since;
    std::optional<resize::ResizeOperation> open;
    AskForHosts asked;
    core::Layout after;  ///< the layout after the resize that was accepted last
    ResizeRequests requests{spec_of_4_to_8()};
};

TEST_F(Requests, WhatTheProgramSaysLaterTakesThePlaceOfWhatItSaidBefore) {
    const auto say = [&](int max, bool one_world) {
        ProgramLimits said;
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
    ResizeRequests of_16(spec);
    ProgramLimits said;
    said.max = 8;
    RequestEffects effects;
    of_16.on_code_options(said, effects);
    of_16.on_code_options(said, effects);  // the same from rank 0 of another world
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

// The requests keep their order.
TEST_F(Requests, WhatWaitedForABrokerThatDiedIsCarriedOn) {
    Snapshot known;
    known.stage = Stage::running;
    known.waiting = {{to(6, 6).request, {}}, {to(20, 20).request, {}}};
    RequestEffects restored;
    requests.restore(known, restored);
    EXPECT_EQ(taken(restored),
              Words{"notify 2 requests that waited for their turn are carried on"});
    EXPECT_EQ(next(), Words{"accept 6"});
    hosts.no_more = "it has ended";
    RequestEffects effects;
    ASSERT_TRUE(requests.start_next(now(), effects));
    const auto* answer = std::get_if<Answer>(&effects.front());
    ASSERT_NE(answer, nullptr);
    ASSERT_EQ(answer->askers.size(), 1u) << "who asked has gone";
    EXPECT_EQ(std::get<JobsUser>(answer->askers[0]).before, "the resize ends here: ");
    EXPECT_EQ(answer->reply.kind, ReplyKind::refused);
}

TEST_F(Requests, NothingIsCarriedOnInAJobThatEnds) {
    Snapshot known;
    known.stage = Stage::finishing;
    known.waiting = {{to(6, 6).request, {}}};
    RequestEffects restored;
    requests.restore(known, restored);
    EXPECT_TRUE(requests.queue().is_empty());
    EXPECT_TRUE(restored.empty());
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

TEST_F(Requests, OnlyAPolicyThatSparesWaitingJobsGoesBeforeThem) {
    for (const bool spares : {false, true})
        for (const bool is_policy : {false, true}) {
            hosts.policy_spares_waiting_jobs = spares;
            ResizeRequests fresh{spec_of_4_to_8()};
            auto step = to(8, 8);
            step.only_at_once = is_policy;
            RequestEffects effects;
            fresh.on_resize(step, now(), effects);
            static_cast<void>(taken(effects));
            ASSERT_EQ(asked.need.request.hosts, 1);
            EXPECT_EQ(asked.need.request.before_waiting_jobs, spares && is_policy);
        }
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
    view = {};
    RequestEffects effects;
    requests.ask_for_first_hosts(Aim::largest, now(), effects);
    EXPECT_EQ(taken(effects), (Words{"hosts_asked", "ask for 8"}));
    EXPECT_EQ(denied(), (Words{"hosts_denied", "hosts_asked", "ask for 4"}));
    EXPECT_EQ(denied(), (Words{"hosts_denied", "end: cannot start the job: none is free"}));
}

TEST_F(Requests, TheFirstHostsAreBesideThoseThatTheJobHas) {
    life = Life::starting;
    view = {};
    for (auto* room : {&view.allocation, &view.living}) room->hosts = {{"own", 1}};
    RequestEffects effects;
    requests.ask_for_first_hosts(Aim::largest, now(), effects);
    EXPECT_EQ(taken(effects), (Words{"hosts_asked", "ask for 7"}));
    EXPECT_EQ(denied(), (Words{"hosts_denied", "hosts_asked", "ask for 3"}));
}

TEST_F(Requests, FirstHostsThatAreSmallerThanExpectedAreNotTheLast) {
    life = Life::starting;
    view = {};
    const auto has = [this](const std::vector<core::Host>& all) {
        for (auto* room : {&view.allocation, &view.living}) room->hosts = all;
    };
    has({{"own", 2}});
    RequestEffects effects;
    requests.ask_for_first_hosts(Aim::largest, now(), effects);
    EXPECT_EQ(taken(effects), (Words{"hosts_asked", "ask for 3"}));
    has({{"own", 2}, {"small", 1}});
    EXPECT_EQ(ready(1), (Words{"hosts_granted", "hosts_asked", "ask for 1"}));
    has({{"own", 2}, {"small", 1}, {"more", 1}});
    EXPECT_EQ(ready(1), (Words{"hosts_granted", "start"}));
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

// Otherwise the resize would be called off for the host again and again.
TEST_F(Requests, ARevokedHostIsLeftBeforeWhatWasCalledOffForItFollows) {
    requests.ask_again(to(3, 3), resize::shrink(), {});
    hosts.revoked = {{HostIndex{1}, {}}};
    EXPECT_EQ(next(), Words{"accept 2"});
    EXPECT_EQ(requests.queue().size(), 1u);
    hosts.revoked.clear();
    EXPECT_EQ(next(), Words{"accept 3"});
}

// A growth that is called off would only begin again. And with more ranks the job may be able to
// leave the host.
TEST_F(Requests, WhatIsOpenGoesOnWhereARevokedHostCannotBeLeft) {
    open_growth();
    hosts.revoked = {{HostIndex{1}, {}}};
    EXPECT_EQ(leave(), Words{"ask again: host h1 is taken back"});
    view.limits.min = {3, Origin::command_line};
    EXPECT_EQ(leave(), Words{});
    hosts.revoked[HostIndex{2}] = {};
    EXPECT_EQ(leave(), Words{"ask again: host h2 is taken back"}) << "ranks are to start there";
}

TEST_F(Requests, AHostThatIsRevokedDuringASwitchIsLeftWhenThatIsFinished) {
    open_switch();
    ASSERT_TRUE(std::holds_alternative<resize::Switching>(open->state()));
    hosts.revoked = {{HostIndex{1}, {}}};
    EXPECT_EQ(leave(), Words{});
    end_switch();
    EXPECT_EQ(leave(), Words{"accept 2"});
}

TEST_F(Requests, ARevokedHostWithChildrenIsNotLeftAndItIsSaidWhy) {
    hosts.revoked = {{HostIndex{1}, {}}};
    EXPECT_EQ(cannot_leave(HostIndex{1}), "");
    auto& children = groups.add({core::GroupId{4}, HostIndex{1}, 1});
    children.role = GroupRole::child;
    EXPECT_EQ(leave(), Words{});
    EXPECT_EQ(cannot_leave(HostIndex{1}),
              "processes that the program has started by MPI_Comm_spawn still run on h1");
    children.over_on.insert(HostIndex{1});
    EXPECT_EQ(leave(), Words{"accept 2"});
}

TEST_F(Requests, ARevokedHostThatTheLimitsNeedIsNotLeftAndItIsSaidWhy) {
    hosts.revoked = {{HostIndex{1}, {}}};
    view.limits.min = {3, Origin::command_line};
    EXPECT_EQ(leave(), Words{});
    EXPECT_EQ(cannot_leave(HostIndex{1}), without_h1);
    view.limits.min.value = 2;
    EXPECT_EQ(cannot_leave(HostIndex{1}), "");
    EXPECT_EQ(leave(), Words{"accept 2"});
}

// The other host may become free later, or the resource manager may let the job keep it.
TEST_F(Requests, OfHostsThatCannotAllBeLeftThoseThatCanAreLeft) {
    hosts.revoked = {{HostIndex{0}, WallTime{2s}}, {HostIndex{1}, WallTime{1s}}};
    EXPECT_EQ(cannot_leave(HostIndex{0}),
              "without h0, h1 the job would have 0 ranks, and a job keeps at least 1 rank");
    EXPECT_EQ(cannot_leave(HostIndex{1}), "");
    EXPECT_EQ(leave(), Words{"accept 2"});
    EXPECT_EQ(after.ranks_on(HostIndex{1}), 0) << "its deadline comes first";
    view.layout = after;
    EXPECT_EQ(leave(), Words{});
}

TEST_F(Requests, OfHostsThatGoAtOnceThoseWithFewerRanksAreLeftFirst) {
    view.layout.active.back().ranks = 1;
    hosts.revoked = {{HostIndex{0}, {}}, {HostIndex{1}, {}}};
    EXPECT_EQ(leave(), Words{"accept 2"});
    EXPECT_EQ(after.ranks_on(HostIndex{1}), 0);
}

TEST_F(Requests, AHostThatCannotBeLeftKeepsTheJobOnNoOther) {
    groups.add({core::GroupId{4}, HostIndex{0}, 1}).role = GroupRole::child;
    hosts.revoked = {{HostIndex{0}, {}}, {HostIndex{1}, {}}};
    EXPECT_NE(cannot_leave(HostIndex{0}), "");
    EXPECT_EQ(cannot_leave(HostIndex{1}), "");
    EXPECT_EQ(leave(), Words{"accept 2"});
    EXPECT_EQ(after.ranks_on(HostIndex{1}), 0);
}

// The growth keeps ranks on h1, which the job can leave, so it is called off. h0 is not the reason:
// the job cannot leave h0.
TEST_F(Requests, WhatIsOpenIsCalledOffForTheHostThatCanBeLeft) {
    groups.add({core::GroupId{4}, HostIndex{0}, 1}).role = GroupRole::child;
    hosts.revoked = {{HostIndex{0}, {}}, {HostIndex{1}, {}}};
    open_growth();
    EXPECT_EQ(leave(), Words{"ask again: host h1 is taken back"});
}

TEST_F(Requests, OfALostHostItIsSaidWhyTheJobCouldNotLeaveIt) {
    HostTableState table;
    for (const auto& host : hosts.all.hosts) table.hosts.push_back({host, {}, host::Up{}});
    auto& state = table.hosts[1].state;
    const auto why = [&] { return why_not_left(HostIndex{1}, table, now()); };
    view.limits.min = {3, Origin::command_line};
    EXPECT_EQ(why(), "") << "it is not lost";
    state = host::Lost{false};
    EXPECT_EQ(why(), "") << "nobody has taken it back";
    state = host::Lost{true};
    EXPECT_EQ(why(), std::string(", and the job could not leave it: ") + without_h1);
    view.limits.min.value = 2;
    EXPECT_EQ(why(), "") << "the time was too short";
}

// A command that waits has already heard that its request is accepted.
TEST_F(Requests, WhatIsAskedAgainIsAskedByThoseWhoWait) {
    const auto plan = resize::shrink();
    std::vector<bool> heard;
    const AskingCommand command{[&heard](const Reply&, bool last) { heard.push_back(last); }};
    requests.ask_again(to(6, 6), plan, {command});
    const auto& waiting = requests.queue().waiting().front();
    ASSERT_EQ(waiting.askers.size(), 1u);
    EXPECT_TRUE(std::get<AskingCommand>(waiting.askers[0]).was_accepted);
    EXPECT_EQ(waiting.continues, plan.asked_as);
    requests.ask_again(to(6, 6), plan, {});
    EXPECT_TRUE(std::holds_alternative<JobsUser>(requests.queue().waiting().front().askers.at(0)));
}

TEST_F(Requests, WhenAllAreDroppedEachIsAnsweredOnce) {
    request(to(10, 10));
    request(to(6, 6));
    RequestEffects effects;
    requests.drop_all(ReplyKind::refused, "the program has ended", effects);
    requests.drop_all(ReplyKind::refused, "again", effects);
    EXPECT_EQ(taken(effects),
              (Words{"withdraw", "the program has ended", "the program has ended"}));
}

}  // namespace
}  // namespace ductile::broker::resize_requests_test
