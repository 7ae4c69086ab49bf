// What the end of a process means for the job. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "resize/resize_operation.hpp"

namespace ductile::broker {

using resize::code_lost;

/// Of a rank that is no newcomer of a resize.
struct RankEnd {
    std::string who;  ///< "rank g0.1 on node2"
    int code = 0;     ///< 128 + signal for one that a signal has ended
    int signal = 0;
    bool hello = false;       ///< it had made a Job
    bool goodbye = false;     ///< its Job had ended
    bool left = false;        ///< by a resize that was committed
    bool gives_data = false;  ///< it has left, and members wait for its data
    std::string why;          ///< as its agent says
    /// An mpiexec, which ends all ranks of a world when it loses one, is above it.
    bool under_launcher = false;
    std::string lost_before;  ///< a newcomer that was lost in the resize that is open
};
/// Of what ran a group on one host: the agent's own part, mpiexec, or mpiexec's proxy.
struct PartEnd {
    std::string what;  ///< "the part of group g0 on node2"
    int code = 0;
    int signal = 0;
    std::string text;       ///< what it said itself
    bool needed = false;    ///< ranks of the job are to be there
    bool complete = false;  ///< all its ranks had ended
    bool under_launcher = false;
};

/// Nothing follows from it.
struct NoFailure {};
/// The job runs on, and will end with this code.
struct LateFailure {
    int code = 0;
    std::string text;
};
/// A rank that had left has crashed in its end, in MPI_Finalize for one. It takes nothing of the
/// job with it: the job runs on, and its exit code does not change.
struct LeaverCrashed {
    std::string text;
};
/// The job ends, unless better news comes within the time of suspicion: when a part of a world is
/// lost mpiexec ends the others, and what happened first is not always heard first.
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

    /// True when the time of suspicion begins; false while one is open already.
    bool suspect(const Suspected& found);
    [[nodiscard]] bool is_suspecting() const { return suspected_.has_value(); }
    /// That time is over, or nothing else can come.
    std::optional<Suspected> blame() { return std::exchange(suspected_, std::nullopt); }

  private:
    std::optional<Suspected> suspected_;
};

}  // namespace ductile::broker
