// A resize in a random order of events, for properties.
#pragma once

#include <rapidcheck.h>

#include <functional>

#include "ductile/error.hpp"
#include "resize_world.hpp"

namespace ductile::resize {

inline ResizePlan any_plan() {
    const auto start = *rc::gen::elementOf(plan::all_starts);
    const auto overlap = *rc::gen::elementOf(plan::all_overlaps);
    const int groups = plan::starts_each_host(start) ? *rc::gen::inRange(1, 6) : 1;
    const int ranks = *rc::gen::inRange(1, 4);
    switch (*rc::gen::inRange(0, 12)) {
        case 10:
        case 11:
            return growth_joined_early(groups, start, ranks);
        case 0:
            return shrink();
        case 1:
            return parking();
        case 2:
            return unparking();
        case 3:
        case 4:
            return renewal(groups, start, overlap, ranks);
        default:
            return growth(groups, start, overlap, ranks);
    }
}

/// The word of a process, a group or a host that has no part in the resize.
inline Event word_of_a_stranger(const ResizePlan& plan) {
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
        ConnectStarting{stranger}, Bridged{stranger, ok, "why", !ok},
        Progressed{stranger, Work::prepares}, Progressed{stranger, Work::moves},
        SourceJoined{stranger, ok, "why", !ok}, PointAnswered{stranger, 1, 5, ok},
        Arrived{stranger}, Progressed{stranger}, done);
}

/// Of somebody who has a part in it: late, twice, in the wrong state.
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
        Progressed{{group, rank}, Work::prepares}, Progressed{{group, rank}, Work::has_prepared},
        Progressed{{group, rank}, Work::moves}, Progressed{{group, rank}, Work::has_moved},
        SourceJoined{{group, rank}, true, "", false}, TimerFired{Timer::own_moves},
        PointAnswered{{group, rank}, 1, 5, false}, Arrived{{group, rank}},
        Progressed{{group, rank}}, Begin{}, Recorded{}, NotRecorded{"no"},
        TimerFired{Timer::accept}, TimerFired{Timer::newcomers_end},
        Bridged{{group, rank}, true, "", false}, SpawnReturned{{group, rank}, group, true, "", 0},
        Formed{{group, rank}}, done);
}

/// Heard once more, it changes nothing. Progress is heard as often as there is some. The broker
/// tells each end of a process once.
inline bool is_said_once(const Event& event) {
    return !std::holds_alternative<Progressed>(event) &&
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
                RC_ASSERT(world_.all_are_up());  // else some do not hear it
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
    /// This word changes nothing, and nothing follows from it. Who is inside MPI_Comm_spawn hears
    /// that it was for nothing.
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
    /// The broker dies, and another one goes on from the journal.
    void take_over() {
        if (!journaled_ || is_over() || operation_.plan().starts_job()) return;
        operation_ = *journaled_;
        heard_.clear();  // it may not be in the journal
        taken_over_ = true;
        tell(world_.lose_broker(), true);
    }
    [[nodiscard]] bool is_over() const { return world_.finished || world_.job_ended; }

    /// Something of what can happen; nothing when nothing can.
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
    /// So many steps at most, with so many troubles between them.
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
        // Its broker ends a job whose rank is lost, some time after that.
        if (world_.has_failed && !is_over()) world_.job_ended = true;
    }
    void disturb() {
        switch (*rc::gen::inRange(0, 9)) {
            case 0:
            case 1:
                if (!world_.alive.empty())
                    world_.kill(
                        *rc::gen::elementOf(std::vector(world_.alive.begin(), world_.alive.end())));
                return;
            case 2:
                return tell(CallOff{"cancelled"}, true);
            case 3:
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
            default:
                return expect_ignored(word_of_a_stranger(operation_.plan()));
        }
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
        RC_CLASSIFY(taken_over_, "taken over");
        if (world_.job_ended) return;
        RC_ASSERT(world_.launches <= 1);
        // The next broker commits what the last one may not have journaled.
        const int commits = world_.committed ? 1 : 0;
        RC_ASSERT(world_.commits == commits || (taken_over_ && world_.commits > commits));
        RC_ASSERT((world_.committed ? world_.killed == 0 : world_.alive.empty()));
        Effects effects;
        operation_.on(CallOff{"too late"}, effects);
        RC_ASSERT(effects.empty());
    }

    /// False for a word that contradicts the plan: whoever says it is dropped, and nothing has
    /// changed.
    bool hear(const Event& event, Effects& effects) {
        const auto before = operation_;
        RC_LOG() << event.index() << " ";  // its place in Event
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
    std::function<void(ResizeOperation&)> after_each_;  ///< event
    std::optional<ResizeOperation> journaled_;
    bool may_fail_ = true;
    bool taken_over_ = false;
    bool confused_ = false;     ///< somebody has spoken out of turn
    std::vector<Event> heard_;  ///< what was said in turn
};

}  // namespace ductile::resize
