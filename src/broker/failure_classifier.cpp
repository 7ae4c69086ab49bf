#include "broker/failure_classifier.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace ductile::broker {

namespace {

std::string ended_by(int signal) {
    return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
}

/// Whether the signal means a crash, rather than a kill by another process.
bool is_crash(int signal) {
    constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    return std::ranges::find(crashes, signal) != std::end(crashes);
}

JobFailed failed(const RankEnd& end) {
    std::string how =
        end.gives_data ? "has left the job, but has not given its data away: it " : "";
    how +=
        end.signal == 0 && end.code == 0 ? "has ended without ending its Job" : how_it_ended(end);
    if (!end.why.empty()) how += ": " + end.why;
    if (!end.lost_before.empty()) how += "; before that " + end.lost_before;
    return {end.code != 0 ? end.code : code_lost,
            end.who + " " + how + "; the job is ended on all hosts"};
}

}  // namespace

std::string how_it_ended(const RankEnd& end) {
    return end.signal != 0 ? ended_by(end.signal) : fmt::format("has ended with code {}", end.code);
}

Verdict FailureClassifier::judge(const RankEnd& end) const {
    // This rule holds after the goodbye of the rank, too: MPI may have reported a lost peer to the
    // rank, and the rank may be ending because of this loss.
    if (!end.left && end.under_launcher && end.signal == SIGKILL && !end.why.empty())
        return Suspected{end.code, end.who + " " + ended_by(end.signal) + ": " + end.why +
                                       "; the job is ended on all hosts"};
    if (end.gives_data) return failed(end);
    if (end.left || end.goodbye) {
        if (end.code == 0) return NoFailure{};
        if (end.left && end.goodbye && is_crash(end.signal))
            return LeaverCrashed{end.who + " " + ended_by(end.signal) +
                                 " after it had left; the job runs on"};
        return LateFailure{end.code, fmt::format("{} has ended with code {}", end.who, end.code)};
    }
    if (!end.why.empty() || end.hello || end.code != 0) return failed(end);
    return NoFailure{};
}

Verdict FailureClassifier::judge(const PartEnd& end) const {
    const int code = end.signal != 0 ? 128 + end.signal : end.code != 0 ? end.code : code_lost;
    // mpiexec gets SIGPIPE if a proxy has ended before it. So SIGPIPE is never the cause.
    if (is_suspecting() && end.signal != 0 && end.signal != SIGPIPE)
        return JobFailed{code,
                         end.what + " " + ended_by(end.signal) + "; the job is ended on all hosts"};
    if (!end.needed || end.complete) return NoFailure{};
    const auto why = end.what + " has ended before its ranks" +
                     (end.text.empty() ? "" : ": " + end.text) + "; the job is ended on all hosts";
    if (end.under_launcher) return Suspected{code, why};
    return JobFailed{code, why};
}

bool FailureClassifier::suspect(const Suspected& found) {
    if (suspected_) return false;
    suspected_ = found;
    return true;
}

}  // namespace ductile::broker
