#include "policy/raised_job.hpp"

#include <utility>

namespace ductile::policy {

RaisedJob::Change RaisedJob::decided(const Decision& decision, double now_s) {
    named_s_ = now_s;
    Change change;
    if (job_ == decision.raised) return change;
    change.put_back = stops();
    if (decision.hosts) change.raise = decision.raised;
    return change;
}

void RaisedJob::raised(WaitingJobId job, double now_s) {
    job_ = job;
    named_s_ = now_s;
}

std::optional<WaitingJobId> RaisedJob::waits(double now_s) {
    return now_s - named_s_ >= kept_s ? stops() : std::nullopt;
}

std::optional<WaitingJobId> RaisedJob::stops() {
    return std::exchange(job_, std::nullopt);
}

}  // namespace ductile::policy
