// The steps of a resize, forwards and back. For resize_operation.cpp, resize_forward.cpp and
// resize_back.cpp alone.
#pragma once

#include <string>

#include "resize/resize_operation.hpp"

namespace ductile::resize {

/// New groups are on their way, and are wanted.
bool is_live(const ResizeCourse& course);
/// The resize is not given up, and not over.
bool is_wanted(const ResizeCourse& course);

// ---- forwards ----

void start_groups(ResizeCourse& course, Effects& out);
void ask_for_point(ResizeCourse& course, Effects& out);
/// What the journal has just been given may happen.
void continue_recorded(ResizeCourse& course, Effects& out);
/// New groups have come further: on to the next stage, or out of Starting.
void advance_stage(ResizeCourse& course, Effects& out);
/// A source is at work in the join in the background.
void join_goes_on(Effects& out);
/// A newcomer is at work before it is joined: that may take long.
void newcomer_progressed(const ResizeCourse& course, Effects& out);
/// The sources are asked when none prepares any more.
/// Rank 0's word.
void take_commit(ResizeCourse& course, Effects& out);
void take_preparing(ResizeCourse& course, const Progressed& news, Effects& out);
void take_answer(ResizeCourse& course, const PointAnswered& answer, Effects& out);
void arrive(ResizeCourse& course, Effects& out);
void take_report(ResizeCourse& course, const SwitchDone& done, Effects& out);

// ---- back ----

/// Rolled back, or, once the point is announced, abandoned: the sources' votes decide then.
void give_up(ResizeCourse& course, const std::string& why, Effects& out);
void roll_back(ResizeCourse& course, const std::string& why, Effects& out);
/// The same when the sources wait for nothing any more.
void undo(ResizeCourse& course, const std::string& why, Effects& out);
/// Over when the newcomers are gone and nobody waits for them inside MPI.
void finish_undoing(ResizeCourse& course, Effects& out);
/// Newcomers that are to be ended may have become free for that, and an undoing be over.
void continue_ending(ResizeCourse& course, Effects& out);
void phase_timed_out(ResizeCourse& course, Effects& out);
void accept_timed_out(ResizeCourse& course, Effects& out);
void own_moves_timed_out(ResizeCourse& course, Effects& out);
void end_timed_out(ResizeCourse& course, Effects& out);

}  // namespace ductile::resize
