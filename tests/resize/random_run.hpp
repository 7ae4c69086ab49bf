// A resize in a random order of events, for properties.
#pragma once

#include <rapidcheck.h>

#include <functional>

#include "ductile/error.hpp"
#include "resize_world.hpp"

namespace ductile::resize {

inline ResizePlan any_plan() {
    switch (*rc::gen::inRange(0, 8)) {
        case 0:
            return shrink();
        default:
            const auto start = *rc::gen::elementOf(plan::all_starts);
            const int groups = plan::starts_each_host(start) ? *rc::gen::inRange(1, 6) : 1;
            return growth(groups, start, *rc::gen::elementOf(plan::all_overlaps),
                          *rc::gen::inRange(1, 4));
    }
}

/// Of a stranger, late, twice, in the wrong state.
inline Event any_event() {
    const auto group = core::GroupId{*rc::gen::inRange(0, 4)};
    const auto rank = core::Rank{*rc::gen::inRange(0, 2)};
    switch (*rc::gen::inRange(0, 19)) {
        case 0:
            return RankUp{{group, rank}};
        case 1:
            return GroupReady{group, 1, {}, {}};
        case 2:
            return RoundDone{group, 0};
        case 3:
            return HostPrepared{core::HostIndex{group.value}, group};
        case 4:
            return SpawnAsked{core::HostIndex{0}, {core::GroupId{0}, rank}, group, 1, "p", {}};
        case 5:
            return PortOpened{{group, rank}, "elsewhere"};
        case 6:
            return ConnectStarting{{group, rank}};
        case 7:
            return PointAnswered{{group, rank}, 1, 5, false};
        case 8:
            return Arrived{{group, rank}};
        case 9:
            return Progressed{{group, rank}};
        case 10:
            return Begin{};
        case 11:
            return Recorded{};
        case 12:
            return NotRecorded{"no"};
        case 13:
            return TimerFired{Timer::accept};
        case 14:
            return TimerFired{Timer::newcomers_end};
        case 15:
            return Bridged{{group, rank}, true, "", false};
        case 16:
            return SpawnReturned{{group, rank}, group, true, "", 0};
        case 17:
            return Formed{{group, rank}};
        default:
            return GroupGone{core::GroupId{99}};
    }
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
            try {
                operation_.on(next, effects);
            } catch (const InputError& error) {
                RC_LOG() << error.what();
                RC_ASSERT(!known || confused_);  // who says so is dropped for it
            }
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
    /// The broker dies, and another one goes on from the journal.
    void take_over() {
        if (!journaled_ || is_over() || operation_.plan().starts_job()) return;
        operation_ = *journaled_;
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
                disturb(false);
            } else if (!step(false)) {
                return;
            }
        }
    }
    void disturb(bool strangers) {
        switch (*rc::gen::inRange(0, 12)) {
            case 0:
                if (!world_.alive.empty()) world_.kill(*world_.alive.begin());
                return;
            case 1:
                return tell(CallOff{"cancelled"}, true);
            case 2:
                return tell(NewcomerLost{"a host is lost", 125}, true);
            case 3:
                if (world_.timers.empty()) return;
                return tell(TimerFired{*world_.timers.begin()}, true);
            case 4:
                if (!strangers) return take_over();
                [[fallthrough]];
            default:
                if (!strangers) return;
                confused_ = true;
                tell(any_event(), false);
        }
    }

    void check() {
        RC_ASSERT(is_over());
        RC_CLASSIFY(world_.committed, "committed");
        RC_CLASSIFY(world_.job_ended, "the job ended");
        RC_CLASSIFY(operation_.plan().spawns_groups(), "started by ranks");
        RC_CLASSIFY(taken_over_, "taken over");
        if (world_.job_ended) return;
        RC_ASSERT(world_.launches <= 1);
        // The next broker commits what the last one may not have journaled.
        const int commits = world_.committed ? 1 : 0;
        RC_ASSERT(world_.commits == commits || (taken_over_ && world_.commits > commits));
        if (!world_.committed) RC_ASSERT(world_.alive.empty());
        Effects effects;
        operation_.on(CallOff{"too late"}, effects);
        RC_ASSERT(effects.empty());
    }

    ResizeOperation operation_;
    ResizeWorld world_;
    std::function<void(ResizeOperation&)> after_each_;  ///< event
    std::optional<ResizeOperation> journaled_;
    bool may_fail_ = true;
    bool taken_over_ = false;
    bool confused_ = false;  ///< strangers have spoken
};

}  // namespace ductile::resize
