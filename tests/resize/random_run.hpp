// A resize in a random order of events, for properties.
#pragma once

#include <rapidcheck.h>

#include <functional>

#include "ductile/error.hpp"
#include "resize_world.hpp"

namespace ductile::resize {

/// Half of the growths at the point have tight memory, half of the parallel starts a tree.
inline ResizePlan with_any_details(ResizePlan plan) {
    if (plan.strategy.joining == plan::Joining::point && *rc::gen::arbitrary<bool>())
        plan.strategy.memory = plan::Memory::tight;
    if (plan::starts_each_host(plan.strategy.start) && *rc::gen::arbitrary<bool>())
        plan.readiness = plan::Readiness::tree;
    return plan;
}

inline ResizePlan any_plan() {
    const auto start = *rc::gen::elementOf(plan::all_starts);
    const auto overlap = *rc::gen::elementOf(plan::all_overlaps);
    const int groups = plan::starts_each_host(start) ? *rc::gen::inRange(1, 6) : 1;
    const int ranks = *rc::gen::inRange(1, 4);
    switch (*rc::gen::inRange(0, 12)) {
        case 10:
        case 11:
            return with_any_details(growth_joined_early(groups, start, ranks));
        case 0:
            return shrink();
        case 1:
            return parking();
        case 2:
            return unparking();
        case 3:
        case 4:
            return with_any_details(renewal(groups, start, overlap, ranks));
        default:
            return with_any_details(growth(groups, start, overlap, ranks));
    }
}

/// An event from a process, a group or a host that has no part in the resize.
inline Event word_of_an_outsider(const ResizePlan& plan) {
    const auto stranger = *rc::gen::element(process(90), process(90, 1), process(0, 90));
    const core::GroupId strange{90};
    const auto group = plan.added.empty() ? strange : plan.added.front().id;
    const bool ok = *rc::gen::arbitrary<bool>();
    SwitchDone done{stranger, {}};
    done.report.committed = ok;
    return *rc::gen::element<Event>(
        RankUp{{strange, core::Rank{0}}}, RankUp{{group, core::Rank{90}}},
        GroupReady{strange, 1, {}, {}}, RoundDone{strange, 0}, Formed{{strange, core::Rank{0}}},
        ProcessEnded{stranger, "a stranger has ended", 3}, GroupGone{strange},
        HostPrepared{core::HostIndex{90}, strange}, HostPrepared{core::HostIndex{90}, group},
        SpawnAsked{core::HostIndex{0}, stranger, group, 1, "port", {}},
        SpawnAsked{core::HostIndex{0}, process(0), strange, 1, "port", {}}, GateReached{strange},
        GateLost{strange}, SpawnReturned{stranger, group, ok, "", 0.1},
        SpawnReturned{process(0), strange, ok, "", 0.1}, PortOpened{stranger, "elsewhere"},
        ConnectStarting{stranger}, ReadyToMerge{stranger}, Bridged{stranger, ok, "why", !ok},
        Progressed{stranger, Work::prepares}, Progressed{stranger, Work::has_prepared},
        Progressed{stranger, Work::moves}, Progressed{stranger, Work::has_moved},
        Progressed{stranger, Work::commits}, SourceJoined{stranger, ok, "why", !ok},
        PointAnswered{stranger, 1, 5, ok}, Arrived{stranger}, Progressed{stranger},
        RankFailed{stranger, "why"}, done);
}

/// An event from a process or a group that has a part in the resize, but at any time: late, twice,
/// in the wrong state.
inline Event word_out_of_turn() {
    const auto group = core::GroupId{*rc::gen::inRange(0, 4)};
    const auto rank = core::Rank{*rc::gen::inRange(0, 2)};
    SwitchDone done{{group, rank}, {}};
    done.report.committed = *rc::gen::arbitrary<bool>();
    return *rc::gen::element<Event>(
        RankUp{{group, rank}}, GroupReady{group, 1, {}, {}}, RoundDone{group, 0},
        HostPrepared{core::HostIndex{group.value}, group},
        SpawnAsked{core::HostIndex{0}, {core::GroupId{0}, rank}, group, 1, "p", {}},
        PortOpened{{group, rank}, "elsewhere"}, ConnectStarting{{group, rank}},
        ReadyToMerge{{group, rank}}, Progressed{{group, rank}, Work::prepares},
        Progressed{{group, rank}, Work::has_prepared}, Progressed{{group, rank}, Work::moves},
        Progressed{{group, rank}, Work::has_moved}, Progressed{{group, rank}, Work::commits},
        SourceJoined{{group, rank}, true, "", false}, TimerFired{Timer::own_moves},
        PointAnswered{{group, rank}, 1, 5, false}, Arrived{{group, rank}},
        Progressed{{group, rank}}, Begin{}, Recorded{}, NotRecorded{"no"},
        TimerFired{Timer::accept}, TimerFired{Timer::newcomers_end},
        Bridged{{group, rank}, true, "", false}, SpawnReturned{{group, rank}, group, true, "", 0},
        Formed{{group, rank}}, RankFailed{{group, rank}, "why"}, done);
}

/// Whether this event may be repeated and then changes nothing. Progress is no such event: a rank
/// reports it as often as there is some. Nor is the end of a process: the broker reports each end
/// once.
inline bool is_said_once(const Event& event) {
    const auto* progressed = std::get_if<Progressed>(&event);
    return (progressed == nullptr || progressed->work == Work::commits) &&
           !std::holds_alternative<ProcessEnded>(event);
}

inline void expect_record_is_last(const Effects& effects) {
    for (std::size_t i = 0; i + 1 < effects.size(); ++i)
        if (const auto* record = std::get_if<Record>(&effects[i])) RC_ASSERT(!record->required);
}

class RandomRun {
  public:
    explicit RandomRun(const ResizePlan& plan) : operation_(plan), world_(operation_.plan()) {}

    void tell(const Event& event, bool known) {
        auto next = event;
        for (;;) {
            Effects effects;
            if (!hear(next, effects)) RC_ASSERT(!known || confused_);
            expect_record_is_last(effects);
            if (!confused_ && (count<TellJoin>(effects) > 0 || count<Commit>(effects) > 0))
                RC_ASSERT(world_.all_are_up());  // a rank that is not up would not get it
            if (operation_.plan().readiness == plan::Readiness::tree)
                RC_ASSERT(count<TellConnectRound>(effects) == 0);
            const bool asks = !effects.empty() && std::holds_alternative<Record>(effects.back()) &&
                              std::get<Record>(effects.back()).required;
            world_.see(effects);
            if (after_each_) after_each_(operation_);
            if (!asks) {
                if (count<Record>(effects) > 0) journaled_ = operation_;
                return;
            }
            next = Recorded{};
            if (may_fail_ && *rc::gen::inRange(0, 20) == 0)
                next = NotRecorded{"the disk is full"};
            else
                journaled_ = operation_;
        }
    }
    /// This event changes nothing and has no effects, except that a call of MPI_Comm_spawn may be
    /// answered with an error, and a timer may be disarmed.
    void expect_ignored(const Event& event) {
        const auto before = operation_;
        Effects effects;
        static_cast<void>(hear(event, effects));
        RC_ASSERT(operation_ == before);
        std::erase_if(effects, [](const Effect& effect) {
            const auto* answer = std::get_if<AnswerSpawn>(&effect);
            return (answer != nullptr && !answer->ok) ||
                   std::holds_alternative<DisarmTimer>(effect);
        });
        RC_ASSERT(effects.empty());
    }
    /// The broker dies, and another broker continues from the journal.
    void take_over() {
        if (!journaled_ || is_over() || operation_.plan().starts_job()) return;
        operation_ = *journaled_;
        heard_.clear();  // the journal may lack these events
        taken_over_ = true;
        tell(world_.lose_broker(), true);
    }
    [[nodiscard]] bool is_over() const { return world_.finished || world_.job_ended; }

    /// One thing happens of those that can happen. Returns false if nothing can.
    bool step(bool in_order) {
        if (!world_.pending.empty()) {
            const auto at = in_order ? 0 : *rc::gen::inRange<std::size_t>(0, world_.pending.size());
            const auto event = world_.pending[at];
            world_.pending.erase(world_.pending.begin() + static_cast<std::ptrdiff_t>(at));
            world_.happened(event);
            tell(event, true);
            if (is_said_once(event)) heard_.push_back(event);
            return true;
        }
        if (world_.timers.empty()) return false;
        const auto timer = *world_.timers.begin();
        world_.timers.erase(world_.timers.begin());
        tell(TimerFired{timer}, true);
        return true;
    }
    /// At most `steps` steps, with at most `troubles` troubles between them.
    void go_on(int steps, int troubles) {
        for (int i = 0; i < steps && !is_over(); ++i) {
            if (troubles > 0 && *rc::gen::inRange(0, 3) == 0) {
                --troubles;
                disturb();
            } else if (!step(false)) {
                break;
            } else if (world_.has_failed && *rc::gen::inRange(0, 4) == 0) {
                break;
            }
        }
        // Some time after a rank is lost, the broker ends the job.
        if (world_.has_failed && !is_over()) world_.job_ended = true;
    }
    void disturb() {
        switch (*rc::gen::inRange(0, 10)) {
            case 0:
            case 1:
                if (!world_.alive.empty())
                    world_.kill(
                        *rc::gen::elementOf(std::vector(world_.alive.begin(), world_.alive.end())));
                return;
            case 2:
                return call_off();
            case 3:
                if (world_.commits == 0 && !operation_.plan().starts_job())
                    world_.lost_too_early = true;
                return tell(NewcomerLost{"a host is lost", 125}, true);
            case 4:
                if (world_.timers.empty()) return;
                return tell(TimerFired{*world_.timers.begin()}, true);
            case 5:
                return take_over();
            case 6:
                if (*rc::gen::inRange(0, 4) == 0) world_.kill_member();
                return;
            case 7:
                if (heard_.empty()) return;
                return expect_ignored(*rc::gen::elementOf(heard_));
            case 8:
                return fail_in_a_rank();
            default:
                return expect_ignored(word_of_an_outsider(operation_.plan()));
        }
    }
    void call_off() {
        if (world_.is_certain() || operation_.plan().starts_job())
            return expect_ignored(CallOff{"cancelled"});
        tell(CallOff{"cancelled"}, true);
        expect_given_up();
    }
    /// The program fails on a rank during its part in the resize.
    void fail_in_a_rank() {
        const auto& plan = operation_.plan();
        const bool is_new = !plan.added.empty() && *rc::gen::arbitrary<bool>();
        if (!world_.may_fail(is_new)) return;
        const bool certain = is_new ? world_.is_certain() || world_.rank_0_has_committed
                                    : world_.moves_after_votes() && world_.has_voted();
        const auto returning = plan.change().returning;
        const bool returns = certain && !returning.empty() && *rc::gen::arbitrary<bool>();
        const auto old = returns ? core::Process{returning.front().group, returning.front().first}
                                 : plan.before.at(core::Rank{0});
        tell(RankFailed{is_new ? core::Process{plan.added.back().id, core::Rank{0}} : old,
                        "told to fail"},
             true);
        if (certain)
            RC_ASSERT(world_.job_ended);
        else
            expect_given_up();
    }
    void expect_given_up() const {
        RC_ASSERT(!operation_.may_be_called_off());
        RC_ASSERT(!std::holds_alternative<Switching>(operation_.state()));
    }
    void speak_out_of_turn() {
        confused_ = true;
        tell(word_out_of_turn(), false);
    }

    void check() {
        RC_ASSERT(is_over());
        RC_CLASSIFY(world_.committed, "committed");
        RC_CLASSIFY(world_.job_ended, "the job ended");
        RC_CLASSIFY(operation_.plan().spawns_groups(), "started by ranks");
        RC_CLASSIFY(operation_.plan().replaces_all(), "renewed");
        RC_CLASSIFY(!operation_.plan().before.parked.empty(), "back from their sleep");
        RC_CLASSIFY(operation_.plan().readiness == plan::Readiness::tree, "ready by a tree");
        RC_CLASSIFY(world_.rank_0_has_committed, "committed before the data move");
        RC_CLASSIFY(taken_over_, "taken over");
        if (world_.job_ended) return;
        RC_ASSERT(world_.launches <= 1);
        // A broker that takes over may commit once more.
        const int commits = world_.committed ? 1 : 0;
        RC_ASSERT(world_.commits == commits || (taken_over_ && world_.commits > commits));
        RC_ASSERT((world_.committed ? world_.killed == 0 : world_.alive.empty()));
        // Otherwise members of the job would wait for data of a dead rank.
        RC_ASSERT(!world_.committed || !world_.lost_too_early || taken_over_);
        Effects effects;
        operation_.on(CallOff{"too late"}, effects);
        RC_ASSERT(effects.empty());
    }

    /// Returns false if the event contradicts the plan. Then nothing has changed.
    bool hear(const Event& event, Effects& effects) {
        const auto before = operation_;
        RC_LOG() << event.index() << " ";  // the index of its type in Event
        try {
            operation_.on(event, effects);
            return true;
        } catch (const InputError& error) {
            RC_LOG() << error.what();
            RC_ASSERT(operation_ == before);
            effects.clear();
            return false;
        }
    }

    ResizeOperation operation_;
    ResizeWorld world_;
    std::function<void(ResizeOperation&)> after_each_;  ///< called after each event
    std::optional<ResizeOperation> journaled_;
    bool may_fail_ = true;
    bool taken_over_ = false;
    bool confused_ = false;     ///< an event came out of turn
    std::vector<Event> heard_;  ///< expected events so far that may be repeated
};

}  // namespace ductile::resize
