#include "rms/slurm_commands.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ductile::rms::slurm_commands_test {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

SlurmCommands commands(const std::string& account = {}) {
    ShownJob parent;
    parent.job = SlurmJob{12};
    parent.user = 1000;
    parent.partition = "main";
    parent.account = account;
    return {"demo-1", parent};
}

bool has(const Words& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
}
bool begins_one(const Words& words, const std::string& beginning) {
    return std::ranges::any_of(
        words, [&beginning](const std::string& word) { return word.starts_with(beginning); });
}

TEST(SlurmCommands, ASidecarIsOneWholeHostBesideTheParent) {
    const auto words = commands().submit({}, 3599s);
    EXPECT_TRUE(has(words, "--export=ALL,DUCTILE_COMMAND=none"));
    EXPECT_EQ(words.front(), "sbatch");
    for (const char* word :
         {"--parsable", "--job-name=ductile-demo-1", "--nodes=1", "--exclusive", "--no-requeue",
          "--output=/dev/null", "--error=/dev/null", "--partition=main", "--time=59"})
        EXPECT_TRUE(has(words, word)) << word;
    for (const char* word : {"--account", "--qos", "--exclude", "--mincpus"})
        EXPECT_FALSE(begins_one(words, word)) << word;
    EXPECT_NE(words.back().find("--jobs=12 "), std::string::npos) << "it ends with its parent";
}

TEST(SlurmCommands, ASidecarIsAskedForAsTheJobNeedsIt) {
    const auto words = commands("physics").submit({4, {"a", "b"}}, std::nullopt);
    for (const char* word : {"--account=physics", "--exclude=a,b", "--mincpus=4"})
        EXPECT_TRUE(has(words, word)) << word;
    EXPECT_FALSE(begins_one(words, "--time"));
}

TEST(SlurmCommands, AnIdleHostIsAskedForInTheSameWords) {
    const auto words = commands("physics").allocate({4, {"a", "b"}}, 3599s, true);
    EXPECT_EQ((Words{words.begin(), words.begin() + 3}),
              (Words{"salloc", "--immediate", "--no-shell"}));
    for (const char* word : {"--job-name=ductile-demo-1", "--nodes=1", "--exclusive",
                             "--comment=for 12", "--partition=main", "--account=physics",
                             "--exclude=a,b", "--mincpus=4", "--time=59", "--nice=-1000000000"})
        EXPECT_TRUE(has(words, word)) << word;
}

TEST(SlurmCommands, ASidecarWithoutAScriptIsWatched) {
    const auto words = commands().watch(SlurmJob{77}, {{"SLURM_HINT", "x"}, {"PATH", "/bin"}});
    EXPECT_EQ((Words{words.begin(), words.begin() + 4}),
              (Words{"/usr/bin/env", "-u", "SLURM_HINT", "srun"}));
    EXPECT_TRUE(has(words, "--jobid=77"));
    EXPECT_TRUE(has(words, "--overlap"));
    EXPECT_NE(words.back().find("--jobs=12 "), std::string::npos) << "it ends with its parent";
    EXPECT_TRUE(words.back().ends_with("; scancel --quiet 77"));
}

TEST(SlurmCommands, ASidecarMayGoBeforeWaitingJobs) {
    EXPECT_FALSE(begins_one(commands().submit({}, 5s), "--nice"));
    EXPECT_TRUE(has(commands().submit({}, 5s, true), "--nice=-1000000000"));
}

TEST(SlurmCommands, ALimitIsNeverNone) {
    EXPECT_TRUE(has(commands().submit({}, 5s), "--time=1"));
}

TEST(SlurmCommands, TheClusterIsThePartitionOfTheParent) {
    const std::string format =
        "--Format=JobID:|,NumNodes:|,tres-alloc:|,Reason:|,ArrayTaskID:64|,Comment:16|,Name:9";
    EXPECT_EQ(commands().list_waiting(), (Words{"squeue", "--noheader", "--states=PENDING",
                                                "--partition=main", "--sort=-p,i", format}));
    EXPECT_EQ(commands().list_hosts(),
              (Words{"sinfo", "--noheader", "--partition=main", "--format=%D|%T|%c"}));
}

TEST(SlurmCommands, PrioritiesAreSeenAndChanged) {
    EXPECT_EQ(SlurmCommands::list_priorities(), (Words{"squeue", "--noheader", "--states=PENDING",
                                                       "--sort=-p,i", "--format=%A|%Q|%y"}));
    EXPECT_EQ(SlurmCommands::list_priority(policy::WaitingJobId{9}),
              (Words{"squeue", "--noheader", "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED",
                     "--jobs=9", "--format=%A|%Q|%y"}));
    EXPECT_EQ(SlurmCommands::set_nice(policy::WaitingJobId{9}, -20),
              (Words{"scontrol", "update", "jobid=9", "nice=-20"}));
}

TEST(SlurmCommands, SidecarsAreKnownByNameAndUser) {
    EXPECT_EQ(commands().list(), (Words{"squeue", "--noheader", "--states=all", "--user=1000",
                                        "--name=ductile-demo-1", "--format=%A|%T|%C|%N|%r"}));
    EXPECT_EQ(commands().cancel_all(),
              (Words{"scancel", "--quiet", "--user=1000", "--name=ductile-demo-1"}));
    EXPECT_EQ(SlurmCommands::cancel({SlurmJob{4}, SlurmJob{5}}),
              (Words{"scancel", "--quiet", "4", "5"}));
}

TEST(SlurmCommands, AnAgentIsStartedWithoutVariablesOfTheJobAround) {
    const auto words = SlurmCommands::run_on("c", SlurmJob{4}, {"/x/agent", "--a"},
                                             {{"SLURM_JOB_ID", "9"},
                                              {"SLURM_HINT", "x"},
                                              {"SLURM_CONF", "/c"},
                                              {"SRUN_DEBUG", "1"},
                                              {"PMI_RANK", "3"},
                                              {"PATH", "/bin"},
                                              {"SECRET", "x"},
                                              {"DUCTILE_LOG", "/l"}});
    const auto srun = std::ranges::find(words, "srun");
    EXPECT_EQ(Words(words.begin(), srun),
              (Words{"/usr/bin/env", "-u", "PMI_RANK", "-u", "SLURM_HINT", "-u", "SLURM_JOB_ID",
                     "-u", "SRUN_DEBUG"}));
    for (const char* word :
         {"--jobid=4", "--nodelist=c", "--overlap", "--mpi=none", "--export=DUCTILE_LOG,PATH"})
        EXPECT_TRUE(has(words, word)) << word;
    EXPECT_EQ(Words(words.end() - 2, words.end()), (Words{"/x/agent", "--a"}));
}

TEST(SlurmCommands, CommandsKnowLittleOfTheEnvironment) {
    EXPECT_EQ(
        environment_for_slurm({{"PATH", "/bin"},
                               {"HOME", "/h"},
                               {"SLURM_CONF", "/c"},
                               {"SBATCH_PARTITION", "x"},
                               {"SLURM_CLUSTERS", "x"},
                               {"LC_ALL", "de"}}),
        (Environment{{"PATH", "/bin"}, {"HOME", "/h"}, {"SLURM_CONF", "/c"}, {"LC_ALL", "C"}}));
}

TEST(SlurmCommands, AHostIsMovedIntoTheParent) {
    const auto words = commands().allocate({}, std::nullopt, false, true);
    EXPECT_TRUE(has(words, "--dependency=expand:12"));
    EXPECT_FALSE(has(commands().allocate({}, std::nullopt), "--dependency=expand:12"));
    EXPECT_EQ(SlurmCommands::give_up_hosts(SlurmJob{15}),
              (Words{"scontrol", "update", "jobid=15", "numnodes=0"}));
    EXPECT_EQ(commands().take_hosts(), (Words{"scontrol", "update", "jobid=12", "numnodes=ALL"}));
}

TEST(SlurmCommands, TheParentKeepsTheHostsThatAreNamed) {
    EXPECT_EQ(commands().shrink_parent({"a", "c"}),
              (Words{"scontrol", "update", "jobid=12", "nodelist=a,c"}));
    EXPECT_EQ(commands().list_steps(),
              (Words{"squeue", "--noheader", "--steps", "--jobs=12", "--format=%i|%N"}));
}

}  // namespace
}  // namespace ductile::rms::slurm_commands_test
