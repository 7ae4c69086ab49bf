// Decides what the end of a process means for the job. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "resize/resize_operation.hpp"

namespace ductile::broker {

using resize::code_lost;

/// The end of a rank that is not a newcomer of a resize.
struct RankEnd {
    std::string who;  ///< "rank g0.1 on node2"
    int code = 0;     ///< 128 + signal if a signal ended the rank
    int signal = 0;
    bool hello = false;       ///< the rank had made a Job
    bool goodbye = false;     ///< the Job of the rank had ended
    bool left = false;        ///< a committed resize had removed the rank
    bool gives_data = false;  ///< the rank has left, and members wait for its data
    std::string why;          ///< the reason that the agent gives
    /// The rank depends on an mpiexec, which ends all ranks of a world if it loses one.
    bool under_launcher = false;
    std::string lost_before;  ///< describes a newcomer that was lost in the open resize
};
/// "was ended by signal 9 (Killed)", or "has ended with code 3".
std::string how_it_ended(const RankEnd& end);

/// The end of a group's part on one host. The agent itself, mpiexec, or mpiexec's proxy ran it.
struct PartEnd {
    std::string what;  ///< "the part of group g0 on node2"
    int code = 0;
    int signal = 0;
    std::string text;       ///< the message of what ran the part
    bool needed = false;    ///< the job needs ranks of this part: see needs_host()
    bool complete = false;  ///< all its ranks had ended
    bool under_launcher = false;
};

/// The end has no consequence.
struct NoFailure {};
/// The job continues, and will end with this code, unless an earlier failure has set another code.
struct LateFailure {
    int code = 0;
    std::string text;
};
/// A rank that had left has crashed while it ended, for example in MPI_Finalize. This does not
/// affect the job: the job continues, and its exit code does not change.
struct LeaverCrashed {
    std::string text;
};
/// The job ends when the suspicion window closes, or before that if a better explanation arrives.
/// The window is needed because mpiexec ends all parts of a world if it loses one of them, and the
/// reports can arrive in any order.
struct Suspected {
    int code = 0;
    std::string why;
};
struct JobFailed {
    int code = 0;
    std::string why;
};
using Verdict = std::variant<NoFailure, LateFailure, LeaverCrashed, Suspected, JobFailed>;

class FailureClassifier {
  public:
    [[nodiscard]] Verdict judge(const RankEnd& end) const;
    [[nodiscard]] Verdict judge(const PartEnd& end) const;

    /// Opens the suspicion window. Returns false if a window is open already.
    bool suspect(const Suspected& found);
    [[nodiscard]] bool is_suspecting() const { return suspected_.has_value(); }
    /// The window closes, or no other report can come: returns what was suspected, if anything.
    std::optional<Suspected> blame() { return std::exchange(suspected_, std::nullopt); }

  private:
    std::optional<Suspected> suspected_;
};

}  // namespace ductile::broker
