// Thousands of random orders of the events of a resize, with deaths, cancels, late timers, a
// journal that cannot be written, and events that nobody expects.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_run.hpp"

namespace ductile::resize::resize_random_test {
namespace {

// All events are expected ones, and they come in any order.
RC_GTEST_PROP(ResizeOperation, ends_as_the_program_votes_whatever_the_order, ()) {
    RandomRun run(*rc::gen::inRange(0, 8) == 0 ? start_of_job() : any_plan());
    run.may_fail_ = false;
    run.tell(Begin{}, true);
    for (int i = 0; i < 500 && !run.is_over() && !run.world_.pending.empty(); ++i) run.step(false);
    run.check();
    RC_ASSERT(run.world_.committed);
}

// Processes without a part in the resize send events, too, and events come twice. Neither has an
// effect.
RC_GTEST_PROP(ResizeOperation, leaves_nothing_behind_whatever_dies, ()) {
    RandomRun run(any_plan());
    run.tell(Begin{}, true);
    const int quiet = *rc::gen::inRange(0, 40);  // otherwise most troubles come before the point
    run.go_on(quiet, 0);
    const int troubles = *rc::gen::inRange(0, 8);
    run.go_on(1000, troubles);
    run.check();
}

// The broker decides whether the loss of a rank ends the job. The start of a job does not decide
// this.
RC_GTEST_PROP(ResizeOperation, a_jobs_start_is_never_undone, ()) {
    RandomRun run(start_of_job(*rc::gen::inRange(1, 4)));
    run.may_fail_ = false;
    run.tell(Begin{}, true);
    const int troubles = *rc::gen::inRange(0, 8);
    run.go_on(1000, troubles);
    run.check();
    RC_ASSERT(!run.world_.finished || run.world_.committed);
    RC_ASSERT(run.world_.committed || run.world_.has_failed);
    RC_ASSERT(!run.operation_.lost());
}

RC_GTEST_PROP(ResizeOperation, is_not_confused_by_words_out_of_turn, ()) {
    RandomRun run(any_plan());
    run.tell(Begin{}, true);
    for (int i = 0; i < 40; ++i) {
        if (*rc::gen::inRange(0, 2) == 0)
            run.speak_out_of_turn();
        else if (!run.is_over())
            run.step(false);
    }
    // After any events the resize can still be called off, and then it ends.
    if (!run.is_over()) run.tell(CallOff{"cancelled"}, true);
    for (int i = 0; i < 500 && !run.is_over(); ++i)
        if (!run.step(true)) break;
    RC_ASSERT(run.is_over());
    RC_ASSERT(run.world_.launches <= 1);
}

}  // namespace
}  // namespace ductile::resize::resize_random_test
