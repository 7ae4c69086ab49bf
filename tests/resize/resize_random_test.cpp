// Thousands of random interleavings of a resize, with deaths, cancels, late timers, journals that
// cannot be written, and words that nobody asked for.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_run.hpp"

namespace ductile::resize {
namespace {

// Nobody speaks out of turn; what is asked for happens in any order.
RC_GTEST_PROP(ResizeOperation, ends_as_the_program_votes_whatever_the_order, ()) {
    RandomRun run(*rc::gen::inRange(0, 8) == 0 ? start_of_job() : any_plan());
    run.may_fail_ = false;
    run.tell(Begin{}, true);
    for (int i = 0; i < 500 && !run.is_over() && !run.world_.pending.empty(); ++i) run.step(false);
    run.check();
    RC_ASSERT(run.world_.committed);
}

RC_GTEST_PROP(ResizeOperation, leaves_nothing_behind_whatever_dies, ()) {
    RandomRun run(any_plan());
    run.tell(Begin{}, true);
    const int troubles = *rc::gen::inRange(0, 8);
    run.go_on(1000, troubles);
    run.check();
}

RC_GTEST_PROP(ResizeOperation, is_not_confused_by_strangers, ()) {
    RandomRun run(any_plan());
    run.tell(Begin{}, true);
    for (int i = 0; i < 300; ++i) {
        if (*rc::gen::inRange(0, 2) == 0)
            run.disturb(true);
        else if (!run.is_over())
            run.step(false);
    }
    // Whatever was said: it can still be called off, and ends.
    if (!run.is_over()) run.tell(CallOff{"cancelled"}, true);
    for (int i = 0; i < 500 && !run.is_over(); ++i)
        if (!run.step(true)) break;
    RC_ASSERT(run.world_.launches <= 1);
}

}  // namespace
}  // namespace ductile::resize
