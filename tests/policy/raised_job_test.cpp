#include "policy/raised_job.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ductile::policy::raised_job_test {
namespace {

using Change = RaisedJob::Change;

constexpr WaitingJobId seven{7}, eight{8};

/// The decision to give up hosts for this job.
Decision gift(WaitingJobId job) {
    Decision decision;
    decision.ranks = decision.hosts = 2;
    decision.for_job = decision.raised = job;
    return decision;
}
/// The decision to keep the size while this job may still start.
Decision later(std::optional<WaitingJobId> job) {
    Decision decision;
    decision.raised = job;
    return decision;
}

TEST(RaisedJob, DecisionsRaiseAndPutBack) {
    struct Step {
        Decision decision;
        Change change;
    };
    const std::vector<Step> steps{
        {later({}), {}},
        {later(seven), {}},  // it was refused, or its hosts were given up before
        {gift(seven), {{}, seven}},
        {later(seven), {}},
        {later({}), {seven, {}}},
        {later({}), {}},
        {gift(seven), {{}, seven}},
        {gift(eight), {seven, eight}},
        {later(seven), {eight, {}}},
        {later(seven), {}},
    };
    RaisedJob job;
    int at = 0;
    for (const auto& step : steps) {
        SCOPED_TRACE(++at);
        const auto change = job.decided(step.decision, at);
        EXPECT_EQ(change, step.change);
        if (change.raise) job.raised(*change.raise, at);
    }
}

TEST(RaisedJob, AJobThatCouldNotBeRaisedIsNotPutBack) {
    RaisedJob job;
    EXPECT_EQ(job.decided(gift(seven), 0), (Change{{}, seven}));
    EXPECT_EQ(job.decided(later(seven), 1), Change{});
    EXPECT_EQ(job.decided(later({}), 2), Change{});
    EXPECT_EQ(job.stops(), std::nullopt);
}

TEST(RaisedJob, APolicyThatIsNotAskedKeepsItForAWhile) {
    RaisedJob job;
    job.raised(seven, 1);
    EXPECT_EQ(job.waits(RaisedJob::kept_s), std::nullopt);
    job.resizes(200);
    EXPECT_EQ(job.waits(201), std::nullopt);
    EXPECT_EQ(job.decided(later(seven), 300), Change{});
    EXPECT_EQ(job.waits(299 + RaisedJob::kept_s), std::nullopt);
    EXPECT_EQ(job.waits(300 + RaisedJob::kept_s), seven);
    EXPECT_EQ(job.waits(900), std::nullopt);
}

TEST(RaisedJob, APolicyThatStopsPutsItBackAtOnce) {
    RaisedJob job;
    job.raised(seven, 1);
    EXPECT_EQ(job.stops(), seven);
    EXPECT_EQ(job.stops(), std::nullopt);
}

}  // namespace
}  // namespace ductile::policy::raised_job_test
