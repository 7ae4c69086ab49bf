#include "check/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ductile::check::diagnosis_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

RankState in(int rank, std::string_view call, std::string_view about, std::int64_t seconds) {
    RankState state;
    state.rank = rank;
    state.waits = true;
    state.call = call;
    state.about = about;
    state.seconds = seconds;
    return state;
}

RankState computing(int rank, std::string_view last, std::int64_t seconds) {
    auto state = in(rank, last, "", seconds);
    state.waits = false;
    return state;
}

/// A rank that has made these collective calls and waits in the last one.
RankState made(int rank, const std::vector<std::string_view>& calls, bool newcomer = false) {
    auto state = in(rank, calls.back(), " on the job's communicator", 11);
    state.resized = true;
    state.newcomer = newcomer;
    state.collectives = state.collective = static_cast<int>(calls.size());
    for (std::size_t i = 0; i < calls.size() && i < RankState::kept; ++i) state.first[i] = calls[i];
    return state;
}

std::string joined(const Diagnosis& diagnosis) {
    std::string text;
    for (const auto& line : diagnosis.lines) text += line + "\n";
    return text;
}

TEST(Diagnosis, SaysWhoWaitsAndWhereAllAre) {
    const auto waits = in(2, "MPI_Recv", " from rank 1, tag 7, on the job's communicator", 10);
    const auto found =
        diagnose(waits, {computing(1, "MPI_Bcast", 12), waits, computing(0, "MPI_Bcast", 9)}, 4);
    EXPECT_EQ(joined(found),
              "rank 2 waits in MPI_Recv from rank 1, tag 7, on the job's communicator (for 10 s). "
              "The job's 4 ranks are here:\n"
              "  ranks 0-1: outside of MPI, after MPI_Bcast (for 12 s)\n"
              "  rank 2: in MPI_Recv from rank 1, tag 7, on the job's communicator "
              "(for 10 s)\n"
              "  rank 3: no answer (stopped, or blocked inside MPI, or without a Job by now)\n");
    EXPECT_FALSE(found.differ);
}

TEST(Diagnosis, FindsCollectiveCallsThatNewcomersDoNotMake) {
    const auto found =
        diagnose(made(0, {"MPI_Bcast"}),
                 {made(0, {"MPI_Bcast"}), made(1, {"MPI_Bcast"}), made(2, {"MPI_Allreduce"}, true),
                  made(3, {"MPI_Allreduce"}, true)},
                 4);
    EXPECT_TRUE(found.differ);
    EXPECT_THAT(found.lines,
                Contains("collective call 1 on the job's communicator since the resize is not the "
                         "same on all ranks: MPI_Bcast on ranks 0-1, MPI_Allreduce on ranks 2-3 "
                         "(new since the resize: ranks 2-3)"));
    EXPECT_THAT(found.lines, Contains(HasSubstr("Job::fresh()")));
}

TEST(Diagnosis, FindsALaterDifference) {
    const auto found =
        diagnose(made(0, {"MPI_Bcast", "MPI_Barrier"}),
                 {made(0, {"MPI_Bcast", "MPI_Barrier"}), made(1, {"MPI_Bcast", "MPI_Reduce"})}, 2);
    EXPECT_TRUE(found.differ);
    EXPECT_THAT(found.lines, Contains(HasSubstr("collective call 2 on the job's")));
}

TEST(Diagnosis, RanksThatComeLaterDoNotDiffer) {
    auto late = computing(1, "MPI_Init_thread", 11);
    late.newcomer = true;
    const auto found =
        diagnose(made(0, {"MPI_Bcast", "MPI_Barrier"}),
                 {made(0, {"MPI_Bcast", "MPI_Barrier"}), late, made(2, {"MPI_Bcast"})}, 3);
    EXPECT_FALSE(found.differ);
    EXPECT_THAT(joined(found), HasSubstr("rank 2 has made fewer collective calls on the job's "
                                         "communicator since the resize than the 2 of rank 0"));
}

// A rank that waits for a message has made fewer collective calls. That says nothing about new
// ranks.
TEST(Diagnosis, WithoutNewRanksNothingIsSaidOfFewerCalls) {
    const auto found =
        diagnose(in(0, "MPI_Recv", " from rank 1", 11),
                 {in(0, "MPI_Recv", " from rank 1", 11), made(1, {"MPI_Bcast", "MPI_Barrier"})}, 2);
    EXPECT_FALSE(found.differ);
    EXPECT_EQ(found.lines.size(), 3u) << joined(found);
}

// Only the first calls of a long list are kept, so only these are compared.
TEST(Diagnosis, ComparesWhatIsKept) {
    std::vector<std::string_view> calls(RankState::kept + 3, "MPI_Bcast");
    auto others = calls;
    others.back() = "MPI_Barrier";
    const auto found = diagnose(made(0, calls), {made(0, calls), made(1, others)}, 2);
    EXPECT_FALSE(found.differ);
}

TEST(Diagnosis, SaysWhoHasMadeFewerAndIsElsewhere) {
    auto behind = in(1, "Job::resize_point()", "", 11);
    behind.newcomer = behind.resized = true;
    behind.collectives = 1;
    behind.first[0] = std::string_view("MPI_Allreduce");
    const auto ahead = made(0, {"MPI_Allreduce", "MPI_Allreduce"});
    const auto found = diagnose(ahead, {ahead, behind}, 2);
    EXPECT_FALSE(found.differ);
    EXPECT_THAT(joined(found), HasSubstr("rank 1 has made fewer collective calls"));
    EXPECT_THAT(joined(found), HasSubstr("(new since the resize: rank 1)"));
}

TEST(Diagnosis, IsShortForManyRanks) {
    std::vector<RankState> states;
    for (int rank = 0; rank < 1000; ++rank)
        states.push_back(in(rank, "MPI_Recv", " from rank " + std::to_string(rank + 1), 10));
    const auto found = diagnose(states[5], states, 1000);
    EXPECT_LT(found.lines.size(), 40u);
    EXPECT_EQ(found.lines.back(), "  and 968 more that are not shown");
}

TEST(Diagnosis, NamesRanks) {
    EXPECT_EQ(name_ranks({4}), "rank 4");
    EXPECT_EQ(name_ranks({0, 1, 2, 5, 7, 8}), "ranks 0-2, 5, 7-8");
}

}  // namespace
}  // namespace ductile::check::diagnosis_test
