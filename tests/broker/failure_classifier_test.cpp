#include "broker/failure_classifier.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace ductile::broker::failure_classifier_test {
namespace {

RankEnd end_of_rank() {
    RankEnd end;
    end.who = "rank g0.1 on node2";
    end.hello = true;
    return end;
}

template <class Wanted>
const Wanted& expect(const Verdict& verdict) {
    EXPECT_TRUE(std::holds_alternative<Wanted>(verdict)) << verdict.index();
    return std::get<Wanted>(verdict);
}

TEST(FailureClassifier, ARankThatHasEndedItsJobMayEnd) {
    auto end = end_of_rank();
    end.goodbye = true;
    expect<NoFailure>(FailureClassifier().judge(end));
    end.code = 3;
    EXPECT_EQ(expect<LateFailure>(FailureClassifier().judge(end)).code, 3);
}

TEST(FailureClassifier, ARankThatHasLeftMayEnd) {
    auto end = end_of_rank();
    end.left = true;
    end.code = 3;
    expect<LateFailure>(FailureClassifier().judge(end));
}

TEST(FailureClassifier, ALeaverWhoseDataMembersWaitForEndsTheJob) {
    auto end = end_of_rank();
    end.left = end.gives_data = true;
    end.code = 137, end.signal = SIGKILL;
    const auto failed = expect<JobFailed>(FailureClassifier().judge(end));
    EXPECT_EQ(failed.code, 137);
    EXPECT_EQ(
        failed.why,
        "rank g0.1 on node2 has left the job, but has not given its data away: it was ended by "
        "signal 9 (Killed); the job is ended on all hosts");
    end.code = end.signal = 0;
    EXPECT_EQ(expect<JobFailed>(FailureClassifier().judge(end)).code, code_lost);
}

TEST(FailureClassifier, ACrashOfALeaverInItsEndIsItsOwnAffair) {
    auto end = end_of_rank();
    end.left = end.goodbye = true;
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
        end.code = 128 + signal, end.signal = signal;
        EXPECT_EQ(expect<LeaverCrashed>(FailureClassifier().judge(end))
                      .text.rfind("rank g0.1 on node2 was ended by signal ", 0),
                  0U);
    }
    for (const int signal : {SIGKILL, SIGTERM}) {
        end.code = 128 + signal, end.signal = signal;
        EXPECT_EQ(expect<LateFailure>(FailureClassifier().judge(end)).code, 128 + signal);
    }
}

TEST(FailureClassifier, OtherCrashesShow) {
    auto end = end_of_rank();
    end.code = 128 + SIGSEGV, end.signal = SIGSEGV;
    end.goodbye = true;
    expect<LateFailure>(FailureClassifier().judge(end));  // a member at the program's end
    end.left = true, end.goodbye = false;
    expect<LateFailure>(FailureClassifier().judge(end));  // in the program, after `leave`
}

TEST(FailureClassifier, ARankWithAJobThatEndsEndsTheJob) {
    auto end = end_of_rank();
    EXPECT_EQ(expect<JobFailed>(FailureClassifier().judge(end)).code, code_lost);
    end.code = 128 + SIGSEGV, end.signal = SIGSEGV;
    end.lost_before = "host node3 is lost";
    const auto failed = expect<JobFailed>(FailureClassifier().judge(end));
    EXPECT_EQ(failed.code, 128 + SIGSEGV);
    EXPECT_NE(failed.why.find("was ended by signal 11"), std::string::npos);
    EXPECT_NE(failed.why.find("before that host node3 is lost"), std::string::npos);
}

TEST(FailureClassifier, APlainProgramMayEnd) {
    auto end = end_of_rank();
    end.hello = false;
    expect<NoFailure>(FailureClassifier().judge(end));
    end.why = "it has not finalised MPI";
    expect<JobFailed>(FailureClassifier().judge(end));
}

// If a rank dies, mpiexec kills the other ranks of its world. The end of the first rank is not
// always reported first.
TEST(FailureClassifier, AKilledRankUnderMpiexecIsSuspectedOnly) {
    auto end = end_of_rank();
    end.code = 128 + SIGKILL, end.signal = SIGKILL, end.why = "its proxy has ended";
    expect<JobFailed>(FailureClassifier().judge(end));
    end.under_launcher = true;
    expect<Suspected>(FailureClassifier().judge(end));
}

TEST(FailureClassifier, TheFirstSuspicionIsBlamedOnce) {
    FailureClassifier classifier;
    EXPECT_FALSE(classifier.blame());
    EXPECT_TRUE(classifier.suspect({137, "first"}));
    EXPECT_FALSE(classifier.suspect({1, "second"}));
    EXPECT_EQ(classifier.blame()->why, "first");
    EXPECT_FALSE(classifier.is_suspecting());
}

TEST(FailureClassifier, BetterNewsThanASuspicion) {
    PartEnd end;
    end.what = "the launcher run of group g0 on node1";
    end.signal = SIGKILL;
    FailureClassifier classifier;
    expect<NoFailure>(classifier.judge(end));
    ASSERT_TRUE(classifier.suspect({137, "a rank was killed"}));
    EXPECT_EQ(expect<JobFailed>(classifier.judge(end)).code, 128 + SIGKILL);
    end.signal = SIGPIPE;  // mpiexec gets SIGPIPE if a proxy ends before mpiexec
    expect<NoFailure>(classifier.judge(end));
}

TEST(FailureClassifier, APartThatEndsUnderItsRanks) {
    PartEnd end;
    end.what = "the part of group g0 on node1";
    end.needed = true;
    end.text = "out of memory";
    const auto failed = expect<JobFailed>(FailureClassifier().judge(end));
    EXPECT_EQ(failed.code, code_lost);
    EXPECT_NE(failed.why.find("has ended before its ranks: out of memory"), std::string::npos);
    end.complete = true;
    expect<NoFailure>(FailureClassifier().judge(end));
    end.complete = false, end.under_launcher = true;
    expect<Suspected>(FailureClassifier().judge(end));
}

}  // namespace
}  // namespace ductile::broker::failure_classifier_test
