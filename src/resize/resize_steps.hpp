// The steps of a resize, forwards and back. Only resize_operation.cpp, resize_forward.cpp and
// resize_back.cpp include this file.
#pragma once

#include <string>

#include "resize/resize_operation.hpp"

namespace ductile::resize {

/// Whether new groups are starting or running, and are wanted.
bool is_live(const ResizeCourse& course);
/// Whether the resize is neither given up nor over.
bool is_wanted(const ResizeCourse& course);
/// Whether the data move after the commit: in a shrink, when parked ranks come back, and in a
/// growth with tight memory.
bool moves_after_commit(const ResizeCourse& course);

// ---- forwards ----

void start_groups(ResizeCourse& course, Effects& out);
void ask_for_point(ResizeCourse& course, Effects& out);
/// Does the step that the journal has just recorded.
void continue_recorded(ResizeCourse& course, Effects& out);
/// New groups have made progress: goes to the next stage, or leaves Starting.
void advance_stage(ResizeCourse& course, Effects& out);
/// A source makes progress in the background join: the time limit of the join starts anew.
void restart_join_timer(Effects& out);
/// A newcomer makes progress before it is joined: the time limit for the groups starts anew.
void newcomer_progressed(const ResizeCourse& course, Effects& out);
/// Rank 0 reports the commit.
void take_commit(ResizeCourse& course, Effects& out);
/// The sources are asked for a point when no process prepares any more.
void take_preparing(ResizeCourse& course, const Progressed& progressed, Effects& out);
void take_answer(ResizeCourse& course, const PointAnswered& answer, Effects& out);
void arrive(ResizeCourse& course, Effects& out);
void take_report(ResizeCourse& course, const SwitchDone& done, Effects& out);

// ---- back ----

/// Ends the job, because a resize has failed that cannot be rolled back any more.
void end_certain(const std::string& why, Effects& out);
/// Rolls the resize back. If the point is announced, abandons it instead: then the sources' votes
/// decide.
void give_up(ResizeCourse& course, const std::string& why, Effects& out);
void roll_back(ResizeCourse& course, const std::string& why, Effects& out);
/// Like roll_back(), when the sources no longer wait for an answer.
void undo(ResizeCourse& course, const std::string& why, Effects& out);
/// The resize is over when the newcomers are gone and no process waits for them inside MPI.
void finish_undoing(ResizeCourse& course, Effects& out);
/// Ends the newcomers, if that is due and now possible. Then the undoing may be over.
void continue_ending(ResizeCourse& course, Effects& out);
void phase_timed_out(ResizeCourse& course, Effects& out);
void accept_timed_out(ResizeCourse& course, Effects& out);
void own_moves_timed_out(ResizeCourse& course, Effects& out);
void end_timed_out(ResizeCourse& course, Effects& out);

}  // namespace ductile::resize
