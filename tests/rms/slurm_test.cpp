// The resource manager over Slurm, against stand-ins for its commands.
#include "rms/slurm.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ductile/error.hpp"
#include "event_loop.hpp"
#include "slurm_recorded.hpp"

namespace ductile::rms::slurm_test {
namespace {

namespace fs = std::filesystem;

/// A folder with stand-ins for Slurm's commands is first in PATH.
class SlurmTest : public ::testing::Test {
  protected:
    void SetUp() override {
        fs::create_directories(folder_);
        path_ = std::getenv("PATH");
        ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
        command("sinfo", "echo slurm 22.05.8");
        command("scontrol", "echo \"" + std::string(recorded::exclusive_job) + "\"");
        command("salloc", "exit 1");
        command("srun", "echo \"$@\" >> " + file("run"));
        command("sbatch", "echo \"$@\" >> " + file("submitted") + "; echo 7");
        command("scancel", "echo \"$@\" >> " + file("cancelled"));
        list("7|RUNNING|4|c|None");
    }
    void TearDown() override {
        ::setenv("PATH", path_.c_str(), 1);
        fs::remove_all(folder_);
    }

    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    std::string text_of(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
    void command(const std::string& name, const std::string& script) {
        const auto fresh = folder_ / (name + ".new");
        std::ofstream(fresh) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(fresh, fs::perms::owner_all);
        fs::rename(fresh, folder_ / name);
    }
    void list(const std::string& lines) { command("squeue", "echo '" + lines + "'"); }

    std::unique_ptr<ResourceManager> started(int most_slots = 0) {
        const auto parent = parse_shown_job(recorded::exclusive_job);
        auto manager = attached({"job-1", parent, parent.hosts, most_slots});
        manager->take_charge();
        return manager;
    }
    std::unique_ptr<ResourceManager> attached(SlurmSettings settings) {
        auto manager = make_slurm(std::move(settings));
        manager->attach(
            io_, [this](const HostAnswer& answer) { answers_.push_back(answer); },
            [this](const std::string& text) { notices_.push_back(text); });
        return manager;
    }
    HostAnswer next_answer() {
        EXPECT_TRUE(run_until(io_, [this] { return !answers_.empty(); })) << "no answer";
        if (answers_.empty()) return {};
        auto answer = answers_.front();
        answers_.erase(answers_.begin());
        return answer;
    }

    const fs::path folder_ = ::testing::TempDir() + "slurm_" + std::to_string(::getpid());
    std::string path_;
    asio::io_context io_;
    std::vector<HostAnswer> answers_;
    std::vector<std::string> notices_;
};

constexpr RequestId ask{1};

TEST_F(SlurmTest, AHostIsGrantedAndGivenBack) {
    auto manager = started(3);
    EXPECT_EQ(manager->allocation(), (core::Allocation{{{"node01", 3}, {"node02", 3}}}));
    manager->request(ask, {1, {2, {"d"}}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 3}}, true}}));
    EXPECT_NE(text_of("submitted").find("--mincpus=2"), std::string::npos);
    EXPECT_NE(text_of("submitted").find("--exclude=d"), std::string::npos);
    manager->release("c");
    EXPECT_TRUE(run_until(io_, [this] { return text_of("cancelled") == "--quiet 7\n"; }));
    manager->end();
    manager.reset();
    EXPECT_EQ(text_of("cancelled"), "--quiet 7\n--quiet --user=0 --name=ductile-job-1\n");
    EXPECT_EQ(notices_, std::vector<std::string>{});
}

// Salloc itself ends later.
TEST_F(SlurmTest, AnIdleHostIsGrantedAtOnce) {
    command("salloc", "echo \"$@\" >> " + file("allocated") +
                          "; echo 'salloc: Granted job allocation 7' >&2; exec sleep 30");
    auto manager = started();
    manager->request(ask, {1, {2, {"d"}}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 4}}, true}}));
    for (const char* word : {"--immediate", "--no-shell", "--mincpus=2", "--exclude=d"})
        EXPECT_NE(text_of("allocated").find(word), std::string::npos) << word;
    EXPECT_EQ(text_of("submitted"), "");
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("run").empty(); }));
    EXPECT_NE(text_of("run").find("--jobid=7 "), std::string::npos);
    EXPECT_NE(text_of("run").find("scancel --quiet 7"), std::string::npos) << "if the broker dies";
    manager->end();
}

TEST_F(SlurmTest, AnAllocationThatIsNotAnsweredIsSubmittedAndFound) {
    command("salloc", "exec sleep 30");
    command("squeue", "echo '9|RUNNING|4|d|None'; if [ -e " + file("submitted") +
                          " ]; then echo '7|RUNNING|4|c|None'; fi");
    const auto manager = started();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 4}}, true}}));
    EXPECT_TRUE(run_until(io_, [this] { return text_of("cancelled").starts_with("--quiet 9\n"); }));
}

TEST_F(SlurmTest, TheClusterIsSeen) {
    auto manager = started();
    std::vector<SeenCluster> seen;
    const auto look = [&] {
        seen.clear();
        manager->view_cluster([&seen](const SeenCluster& one) { seen.push_back(one); });
        EXPECT_TRUE(run_until(io_, [&seen] { return !seen.empty(); }));
        return seen.empty() ? SeenCluster{} : seen.front();
    };
    list("9|2||Resources|N/A|(null)|other");
    command("sinfo", "echo '3|idle|4'");
    ClusterSeen expected{{3, {{policy::WaitingJobId{9}, 2}}}, {"node01", "node02"}, 0};
    EXPECT_EQ(look(), SeenCluster{expected});
    manager->release("node02");
    expected.kept_slots = 4;
    EXPECT_EQ(look(), SeenCluster{expected});
    command("sinfo", "echo 'sinfo: error: no answer' >&2; exit 1");
    EXPECT_EQ(std::get<CannotSee>(look()).why, "sinfo: error: no answer");
    command("sinfo", "echo '3|idle|4'");
    command("squeue", "exit 3");
    EXPECT_EQ(std::get<CannotSee>(look()).why, "squeue: exit code 3");
}

// --- added hosts are merged into the parent

/// Replaces each `from`.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// The stand-in for salloc grants job 7 on host c. That for scontrol writes its updates to the file
/// "changed". When job 7 has given up its host, the parent has it.
class SlurmMergeTest : public SlurmTest {
  protected:
    void SetUp() override {
        SlurmTest::SetUp();
        command("salloc", "echo \"$@\" >> " + file("allocated") +
                              "; echo 'salloc: Granted job allocation 7' >&2");
        slurm("(null)", "echo \"$@\" >> " + file("changed"));
        list("7|RUNNING|4|c|None");
    }
    void slurm(const std::string& flags, const std::string& update) {
        const std::string parent = recorded::exclusive_job;
        const auto sidecar = replaced(replaced(parent, "JobId=1 ", "JobId=7 "), "node[01-02]", "c");
        const auto merged =
            replaced(replaced(parent, "NodeList=node[01-02]", "NodeList=c,node[01-02]"),
                     "Nodes=node[01-02] CPU_IDs=0-3 Mem=0 GRES=",
                     "Nodes=c,node[01-02] CPU_IDs=0-3 Mem=0 GRES=");
        command("scontrol",
                "case \"$*\" in\n"
                "'show config') echo 'PrologFlags = " +
                    flags +
                    "'\n"
                    "echo 'SchedulerParameters = permit_job_expansion'\n"
                    "echo 'AccountingStorageType = accounting_storage/slurmdbd';;\n"
                    "*' show job 7') echo \"" +
                    sidecar +
                    "\";;\n"
                    "*' show job 1') if grep -qs numnodes=ALL " +
                    file("changed") + "; then echo \"" + merged + "\"; else echo \"" + parent +
                    "\"; fi;;\n"
                    "update*) " +
                    update +
                    ";;\n"
                    "esac");
    }
    /// Slurm 24.11 lets hosts leave that a job has as a whole.
    std::unique_ptr<ResourceManager> merging(SlurmVersion version = {24, 11},
                                             bool is_exclusive = true) {
        auto parent = parse_shown_job(recorded::exclusive_job);
        parent.is_exclusive = is_exclusive;
        SlurmSettings settings{"job-1", parent, parent.hosts};
        settings.version = version;
        settings.merges = true;
        auto manager = attached(settings);
        manager->take_charge();
        return manager;
    }
    /// Why hosts are not merged.
    std::string why_not() const {
        const std::string beginning =
            "added hosts are not merged into Slurm job 1, and are sidecars: ";
        if (notices_.size() != 1 || !notices_.front().starts_with(beginning)) return "no notice";
        return notices_.front().substr(beginning.size());
    }
};

TEST_F(SlurmMergeTest, AHostIsMerged) {
    auto manager = merging();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 4}}, true}}));
    EXPECT_NE(text_of("allocated").find("--dependency=expand:1"), std::string::npos);
    EXPECT_EQ(text_of("changed"), "update jobid=7 numnodes=0\nupdate jobid=1 numnodes=ALL\n");
    EXPECT_EQ(text_of("cancelled"), "--quiet 7\n") << "it has no host any more";
    EXPECT_EQ(text_of("run"), "") << "no step ran in it";
    command("srun", "echo \"$@\" >> " + file("run"));
    const auto agent = manager->start_agent(io_, "c", {"/x/agent"}, "", {});
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("run").empty(); }));
    EXPECT_NE(text_of("run").find("--jobid=1 "), std::string::npos) << text_of("run");
    EXPECT_EQ(notices_, std::vector<std::string>{});
}

TEST_F(SlurmMergeTest, ARefusalLeavesASidecar) {
    slurm("(null)", "echo 'Job step already exists' >&2; exit 1");
    auto manager = merging();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 4}}, true}}));
    EXPECT_EQ(why_not(), "Job step already exists");
    EXPECT_EQ(text_of("cancelled"), "");
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("run").empty(); })) << "it is watched";
}

// Once, a host may have become idle after the refusal.
TEST_F(SlurmMergeTest, IfOnlyTheMergeIsRefusedTheHostIsASidecar) {
    command("salloc", "case \"$*\" in *expand*) exit 1;; esac; echo >> " + file("granted") +
                          "; echo \"salloc: Granted job allocation $((6 + $(wc -l < " +
                          file("granted") + ")))\" >&2");
    auto manager = merging();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 4}}, true}}));
    EXPECT_EQ(text_of("submitted"), "") << "it does not wait in the queue";
    EXPECT_EQ(text_of("changed"), "");
    EXPECT_EQ(notices_, std::vector<std::string>{});
    list("7|RUNNING|4|c|None\n8|RUNNING|4|d|None");
    manager->request(RequestId{ask.value + 1}, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{RequestId{ask.value + 1}, {{"d", 4}}, true}}));
    EXPECT_EQ(why_not(), "salloc refuses --dependency=expand");
}

TEST_F(SlurmMergeTest, AHostThatTheParentDoesNotGetIsNotGranted) {
    const std::string lost = "Slurm does not show c in this job after the merge";
    slurm("(null)", "case \"$*\" in *=ALL) exit 1;; esac");
    auto manager = merging();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Denied{ask, lost}}));
    EXPECT_EQ(text_of("cancelled"), "--quiet 7\n");
    EXPECT_EQ(why_not(), lost);
}

// Slurmctld carries the command out, and scontrol does not hear of it.
TEST_F(SlurmMergeTest, WithoutAnAnswerTheHostsOfTheParentDecide) {
    slurm("(null)",
          "echo \"$@\" >> " + file("changed") +
              "; echo 'slurm_update error: Unable to contact slurm controller' >&2; exit 1");
    auto manager = merging();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 4}}, true}}));
    EXPECT_EQ(text_of("cancelled"), "--quiet 7\n");
    EXPECT_EQ(notices_, std::vector<std::string>{});
}

TEST_F(SlurmMergeTest, AHostThatIsNotReadyYetIsASidecar) {
    slurm("(null)", "exit 1");
    command("scontrol.real", "exit 0");
    fs::rename(folder_ / "scontrol", folder_ / "scontrol.real");
    command("scontrol",
            "case \"$*\" in *' show job 7') echo 'JobId=7 JobState=CONFIGURING';; *) exec " +
                file("scontrol.real") + " \"$@\";; esac");
    auto manager = merging();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 4}}, true}}));
    EXPECT_EQ(notices_, std::vector<std::string>{}) << "the next host may be merged";
}

TEST_F(SlurmMergeTest, AMergedHostThatNobodyWantsAnyMoreLeavesTheParent) {
    list("");
    command("squeue", "case \"$*\" in *--steps*) ;; *) ;; esac");
    auto manager = merging();
    manager->request(ask, {1, {}});
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("allocated").empty(); }));
    manager->cancel(ask);
    const std::string out = "update jobid=1 nodelist=node01,node02\n";
    EXPECT_TRUE(run_until(io_, [&] { return text_of("changed").ends_with(out); }))
        << text_of("changed");
}

TEST_F(SlurmMergeTest, ASlurmThatCannotDoItIsFoundOut) {
    slurm("Alloc,Contain", "exit 1");
    auto manager = merging();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 4}}, true}}));
    EXPECT_EQ(why_not(), "this Slurm has PrologFlags=Contain");
    EXPECT_EQ(text_of("allocated").find("expand"), std::string::npos);
}

TEST_F(SlurmMergeTest, AJobThatCannotHaveMergedHostsIsFoundOut) {
    auto manager = merging({24, 11}, false);
    EXPECT_TRUE(run_until(io_, [this] { return !notices_.empty(); }));
    EXPECT_EQ(why_not(), "this job does not have whole hosts (sbatch --exclusive)");
    notices_.clear();
    manager = merging({23, 11});
    EXPECT_TRUE(run_until(io_, [this] { return !notices_.empty(); }));
    EXPECT_TRUE(why_not().starts_with("they could not leave it again: ")) << why_not();
}

// --- the parent's own hosts are given back

/// A parent on node01, node02 and node03, which may share these hosts with other jobs. The stand-in
/// for scontrol writes its updates to the file "changed", and shows the hosts in the file "parent".
class SlurmShrinkTest : public SlurmTest {
  protected:
    void SetUp() override {
        SlurmTest::SetUp();
        std::string shown = recorded::exclusive_job;
        shown.replace(shown.find("OverSubscribe=NO"), 16, "OverSubscribe=OK");
        for (auto at = shown.find("node[01-02]"); at != std::string::npos;
             at = shown.find("node[01-02]"))
            shown.replace(at, 11, "node[01-03]");
        parent_ = parse_shown_job(shown);
        shown.replace(shown.find("NodeList=node[01-03]"), 20,
                      "NodeList=$(cat " + file("parent") + ")");
        show_ = "echo \"" + shown + "\"";
        has_hosts("node[01-03]");
        scontrol("echo \"$@\" >> " + file("changed"));
        command("squeue", "case \"$*\" in *--steps*) cat " + file("steps") + ";; esac");
        has_steps("1.extern|node[01-03]");
    }
    void scontrol(const std::string& update) {
        command("scontrol", "if [ $1 = update ]; then\n" + update + "\nelse\n" + show_ + "\nfi");
    }
    void has_hosts(const std::string& hosts) const { std::ofstream(folder_ / "parent") << hosts; }
    void has_steps(const std::string& steps) const {
        const auto fresh = folder_ / "steps.new";
        std::ofstream(fresh) << steps << "\n";
        fs::rename(fresh, folder_ / "steps");
    }
    /// Starts agents on node02 and node03. Their stand-in for srun ends immediately.
    std::unique_ptr<ResourceManager> manager() {
        auto manager = attached({"job-1", parent_, parent_.hosts, 0, false, {24, 11}});
        command("srun", "exit 0");
        for (const char* host : {"node02", "node03"})
            agents_.push_back(manager->start_agent(io_, host, {"/x/agent"}, "", {}));
        return manager;
    }
    std::unique_ptr<ResourceManager> in_charge() {
        auto manager = this->manager();
        manager->take_charge();
        return manager;
    }
    void run_for_a_moment() {
        io_.restart();
        io_.run_for(std::chrono::milliseconds(400));
    }

    ShownJob parent_;
    std::string show_;
    std::vector<std::unique_ptr<AgentProcess>> agents_;
};

TEST_F(SlurmShrinkTest, HostsOfTheParentAreGivenBackTogether) {
    auto manager = in_charge();
    manager->release("node03");
    manager->release("node02");
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("changed").empty(); }));
    run_for_a_moment();
    EXPECT_EQ(text_of("changed"), "update jobid=1 nodelist=node01\n");
    list("7|RUNNING|4|node02|None");
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"node02", 4}}, true}}))
        << "a sidecar may get the host that has left";
    EXPECT_EQ(notices_, std::vector<std::string>{});
}

TEST_F(SlurmShrinkTest, SlurmIsMadeToLookAtItsQueueWhenAWholeHostHasLeft) {
    parent_.is_exclusive = true;
    auto manager = in_charge();
    manager->release("node03");
    const std::string once = "update jobid=1 nodelist=node01,node02\n";
    EXPECT_TRUE(run_until(io_, [&] { return text_of("changed") == once + once; }))
        << text_of("changed");
    manager->request(ask, {1, {}});
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("submitted").empty(); }))
        << "node03 is not the parent's any more";
}

TEST_F(SlurmShrinkTest, AHostThatSomebodyElseHasAddedStaysIfAStepRunsThere) {
    parent_.is_exclusive = true;
    has_steps("1.0|node09");
    auto manager = in_charge();
    manager->release("node03");
    const std::string once = "update jobid=1 nodelist=node01,node02,node09\n";
    EXPECT_TRUE(run_until(io_, [&] { return text_of("changed") == once + once; }))
        << text_of("changed");
}

TEST_F(SlurmShrinkTest, WhenTheJobEndsSlurmLooksByItself) {
    parent_.is_exclusive = true;
    auto manager = in_charge();
    manager->release("node03");
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("changed").empty(); }));
    manager->end();
    io_.restart();
    io_.run_for(std::chrono::seconds(4));
    EXPECT_EQ(text_of("changed"), "update jobid=1 nodelist=node01,node02\n");
}

TEST_F(SlurmShrinkTest, AHostWithAStepIsGivenBackAfterItsEnd) {
    auto manager = in_charge();
    has_steps("1.0|node02");
    manager->release("node02");
    run_for_a_moment();
    EXPECT_EQ(text_of("changed"), "");
    has_steps("1.extern|node[01-03]");
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("changed").empty(); }));
    EXPECT_EQ(text_of("changed"), "update jobid=1 nodelist=node01,node03\n");
}

TEST_F(SlurmShrinkTest, AHostThatStaysBehindIsNotForgotten) {
    auto manager = in_charge();
    has_steps("1.0|node02");
    manager->release("node02");
    manager->release("node03");
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("changed").empty(); }));
    run_for_a_moment();
    EXPECT_EQ(text_of("changed"), "update jobid=1 nodelist=node01,node02\n");
    has_steps("1.extern|node[01-02]");
    const std::string both =
        "update jobid=1 nodelist=node01,node02\nupdate jobid=1 nodelist=node01\n";
    EXPECT_TRUE(run_until(io_, [this, &both] { return text_of("changed") == both; }))
        << text_of("changed");
}

TEST_F(SlurmShrinkTest, WhatSlurmRefusesStaysIdle) {
    scontrol("echo 'Access/permission denied' >&2; exit 1");
    auto manager = in_charge();
    manager->release("node03");
    EXPECT_TRUE(run_until(io_, [this] { return !notices_.empty(); }));
    EXPECT_EQ(notices_, std::vector<std::string>{
                            "node03 stays idle in Slurm job 1: Slurm has not taken it back: "
                            "Access/permission denied"});
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"node03", 4}}, true}}));
}

TEST_F(SlurmShrinkTest, WhatHasLeftAlreadyIsSeen) {
    has_hosts("node[01-02]");
    scontrol("echo 'Invalid node name specified' >&2; exit 1");
    auto manager = in_charge();
    manager->release("node03");
    run_for_a_moment();
    manager->request(ask, {1, {}});
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("submitted").empty(); }))
        << "node03 is not the parent's any more";
    EXPECT_EQ(notices_, std::vector<std::string>{});
}

TEST_F(SlurmShrinkTest, WhenSlurmDoesNotAnswerItIsTriedAgain) {
    command("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1");
    auto manager = in_charge();
    manager->release("node03");
    run_for_a_moment();
    scontrol("echo \"$@\" >> " + file("changed"));
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("changed").empty(); }));
    EXPECT_EQ(text_of("changed"), "update jobid=1 nodelist=node01,node02\n");
    EXPECT_EQ(notices_, std::vector<std::string>{});
}

TEST_F(SlurmShrinkTest, WhenSlurmRefusesAHostTheNextOneIsNotForgotten) {
    scontrol("sleep 0.3; echo 'Access/permission denied' >&2; exit 1");
    auto manager = in_charge();
    manager->release("node03");
    run_for_a_moment();
    manager->release("node02");
    EXPECT_TRUE(run_until(io_, [this] { return !notices_.empty(); }));
    run_for_a_moment();
    manager->request(ask, {2, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"node02", 4}, {"node03", 4}}, true}}));
}

TEST_F(SlurmShrinkTest, AtTheEndTheParentKeepsItsHosts) {
    auto manager = in_charge();
    command("squeue", "case \"$*\" in *--steps*) sleep 0.3; touch " + file("asked") + ";; esac");
    manager->release("node03");
    io_.run_for(std::chrono::milliseconds(200));
    manager->end();
    manager->release("node02");
    EXPECT_TRUE(run_until(io_, [this] { return fs::exists(folder_ / "asked"); }));
    run_for_a_moment();
    EXPECT_EQ(text_of("changed"), "");
}

TEST_F(SlurmShrinkTest, AnotherBrokerGivesHostsBackThatTheFormerOneUsed) {
    auto manager = attached({"job-1", parent_, parent_.hosts, 0, true, {24, 5}});
    manager->take_charge();
    manager->release("node03");
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("changed").empty(); }));
    EXPECT_EQ(text_of("changed"), "update jobid=1 nodelist=node01,node02\n");
}

TEST_F(SlurmShrinkTest, WithoutChargeNothingIsGivenBack) {
    auto manager = this->manager();
    manager->release("node03");
    run_for_a_moment();
    EXPECT_EQ(text_of("changed"), "");
    manager->take_charge();
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("changed").empty(); }));
}

// --- priorities of waiting jobs

/// A queue of two jobs: 8 waits before 9. The stand-in for scontrol changes the nice value of 9.
class SlurmPrioritiesTest : public SlurmTest {
  protected:
    void SetUp() override {
        SlurmTest::SetUp();
        command("sinfo", "echo '0|idle|4'");
        command("squeue",
                "case \"$*\" in *--jobs=*) ;; *) echo '8|1000|0';; esac; "
                "echo \"9|10|$(cat " +
                    file("nice") + ")\"");
        has_nice("100");
        command("scontrol",
                "echo ${3#nice=} > " + file("nice") + "; echo \"$@\" >> " + file("changed"));
        manager_ = started();
    }
    void TearDown() override {
        manager_.reset();
        SlurmTest::TearDown();
    }
    void has_nice(const std::string& value) { std::ofstream(file("nice")) << value; }
    RaiseAnswer raise() {
        std::optional<RaiseAnswer> answer;
        manager_->priorities()->raise(nine, [&answer](const RaiseAnswer& one) { answer = one; });
        EXPECT_TRUE(run_until(io_, [&answer] { return answer.has_value(); }));
        return answer.value_or(NotRaised{"no answer"});
    }
    void look() {
        bool seen = false;
        manager_->view_cluster([&seen](const SeenCluster&) { seen = true; });
        EXPECT_TRUE(run_until(io_, [&seen] { return seen; }));
    }
    bool changed(const std::string& text) {
        return run_until(io_, [&] { return text_of("changed") == text; });
    }

    static constexpr policy::WaitingJobId nine{9};
    static constexpr const char* raised = "update jobid=9 nice=-1890\n";
    static constexpr const char* both = "update jobid=9 nice=-1890\nupdate jobid=9 nice=100\n";
    std::unique_ptr<ResourceManager> manager_;
};

TEST_F(SlurmPrioritiesTest, AJobIsRaisedAndPutBack) {
    EXPECT_EQ(raise(), RaiseAnswer{Raised{}});
    EXPECT_EQ(text_of("changed"), raised);
    manager_->priorities()->put_back(nine);
    EXPECT_TRUE(changed(both)) << text_of("changed");
    look();
    look();
    manager_->end();
    manager_.reset();
    EXPECT_EQ(text_of("changed"), both);  // no further change
}

TEST_F(SlurmPrioritiesTest, TheFirstJobStaysAsItIs) {
    command("squeue", "echo '9|1000|0'; echo '8|10|0'");
    EXPECT_EQ(raise(), RaiseAnswer{IsFirst{}});
    manager_->priorities()->put_back(nine);
    look();
    EXPECT_EQ(text_of("changed"), "");
}

TEST_F(SlurmPrioritiesTest, AJobThatWaitsNoMoreStaysAsItIs) {
    command("squeue", "echo '8|10|0'");
    EXPECT_EQ(raise(), RaiseAnswer{NotRaised{"it waits no more"}});
    EXPECT_EQ(text_of("changed"), "");
}

TEST_F(SlurmPrioritiesTest, ARefusalIsToldOnceAndNotTriedAgain) {
    for (const char* error : {"Access/permission denied for job 9", "Invalid user id for job 9"}) {
        fs::remove(file("changed"));
        manager_ = started();
        command("scontrol",
                "echo \"$@\" >> " + file("changed") + "; echo '" + error + "' >&2; exit 1");
        EXPECT_EQ(raise(), RaiseAnswer{NotRaised{"Slurm refuses"}});
        EXPECT_EQ(raise(), RaiseAnswer{NotRaised{}});
        manager_->end();
        manager_.reset();
        EXPECT_EQ(text_of("changed"), raised) << error;
    }
}

// Slurm reports no error if the priority of the job was set by hand.
TEST_F(SlurmPrioritiesTest, AChangeThatSlurmIgnoresIsNone) {
    command("scontrol", "echo \"$@\" >> " + file("changed"));
    EXPECT_EQ(raise(), RaiseAnswer{NotRaised{"Slurm has not changed it"}});
    look();
    look();
    EXPECT_EQ(text_of("changed"), raised);
}

TEST_F(SlurmPrioritiesTest, ASlurmThatDoesNotAnswerIsAskedAgain) {
    EXPECT_EQ(raise(), RaiseAnswer{Raised{}});
    command("scontrol", "echo failed >> " + file("failed") + "; exit 1");
    manager_->priorities()->put_back(nine);
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("failed").empty(); }));
    command("scontrol", "echo \"$@\" >> " + file("changed"));
    for (int i = 0; i < 50 && text_of("changed") != both; ++i) look();
    EXPECT_EQ(text_of("changed"), both);
}

// The user may have lost the right to change priorities.
TEST_F(SlurmPrioritiesTest, APutBackThatIsRefusedIsNotTriedAgain) {
    EXPECT_EQ(raise(), RaiseAnswer{Raised{}});
    command("scontrol", "echo \"$@\" >> " + file("changed") +
                            "; echo 'Access/permission denied for job 9' >&2; exit 1");
    manager_->priorities()->put_back(nine);
    EXPECT_TRUE(changed(both)) << text_of("changed");
    look();
    look();
    manager_->end();
    manager_.reset();
    EXPECT_EQ(text_of("changed"), both);
}

// Ductile cannot know whether Slurm has raised the priority.
TEST_F(SlurmPrioritiesTest, ARaiseWithoutAnAnswerIsUndone) {
    command("scontrol", "echo -1890 > " + file("nice") +
                            "; echo 'slurm_update error: Socket timed out' >&2; exit 1");
    EXPECT_EQ(raise(), RaiseAnswer{NotRaised{"slurm_update error: Socket timed out"}});
    command("scontrol", "echo \"$@\" >> " + file("changed"));
    look();
    EXPECT_TRUE(changed("update jobid=9 nice=100\n")) << text_of("changed");
}

TEST_F(SlurmPrioritiesTest, AJobThatHasEndedOrWasChangedByOthersIsLeftAlone) {
    for (const char* now : {"echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1",
                            "exit 0", "echo '9|10|-5'"}) {
        const auto before = started();
        fs::remove(file("changed"));
        has_nice("100");
        manager_ = started();
        command("squeue",
                "case \"$*\" in *--jobs=*) ;; *) echo '8|1000|0';; esac; "
                "echo \"9|10|$(cat " +
                    file("nice") + ")\"");
        EXPECT_EQ(raise(), RaiseAnswer{Raised{}});
        command("squeue", std::string("echo x >> ") + file("asked") + "; " + now);
        fs::remove(file("asked"));
        manager_->priorities()->put_back(nine);
        EXPECT_TRUE(run_until(io_, [this] { return !text_of("asked").empty(); }));
        look();
        manager_->end();
        manager_.reset();
        EXPECT_EQ(text_of("changed"), raised) << now;
    }
}

TEST_F(SlurmPrioritiesTest, TheEndOfTheJobPutsItBack) {
    EXPECT_EQ(raise(), RaiseAnswer{Raised{}});
    manager_->end();
    manager_.reset();
    EXPECT_EQ(text_of("changed"), both);
}

// Another broker may take the job over.
TEST_F(SlurmPrioritiesTest, ABrokerThatLeavesTheJobChangesNothing) {
    EXPECT_EQ(raise(), RaiseAnswer{Raised{}});
    manager_.reset();
    EXPECT_EQ(text_of("changed"), raised);
}

// --- the cluster

TEST_F(SlurmTest, ASlurmThatRestartsIsAskedAgain) {
    std::string mine = recorded::exclusive_job;
    mine.replace(mine.find("root(0)"), 7, "me(" + std::to_string(::getuid()) + ")");
    const auto job = parse_shown_job(mine).job;
    const auto shown = "echo \"" + mine + "\"";
    command("scontrol",
            "if [ -e " + file("tried") + " ]; then " + shown + "; else touch " + file("tried") +
                "; echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; "
                "exit 1; fi");
    EXPECT_THROW(find_known_slurm_job(job, std::chrono::seconds(0)), SystemError);
    fs::remove(file("tried"));
    EXPECT_EQ(find_known_slurm_job(job, std::chrono::seconds(30)).job.job, job);
    command("scontrol", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    EXPECT_THROW(find_known_slurm_job(job, std::chrono::seconds(600)), SystemError);
}

TEST_F(SlurmTest, WithoutSidecarsNothingIsCancelled) {
    auto manager = started();
    manager->end();
    manager.reset();
    EXPECT_FALSE(fs::exists(file("cancelled")));
}

TEST_F(SlurmTest, AJobThatHasNotEndedKeepsItsSidecars) {
    auto manager = started();
    manager->request(ask, {1, {}});
    next_answer();
    manager.reset();
    EXPECT_FALSE(fs::exists(file("cancelled")));
}

// Before that, the job may still belong to the former broker, so nothing is cancelled.
TEST_F(SlurmTest, WhatAFormerBrokerHasLeftIsCancelledOnceTheJobIsTakenOver) {
    command("squeue", "echo >> " + file("listed") + "; echo '7|RUNNING|4|c|None'");
    const auto parent = parse_shown_job(recorded::exclusive_job);
    auto manager = attached({"job-1", parent, parent.hosts, 0, true});
    EXPECT_TRUE(run_until(io_, [this] { return text_of("listed").size() >= 2; }));
    EXPECT_FALSE(fs::exists(file("cancelled")));
    manager->take_charge();
    EXPECT_TRUE(run_until(io_, [this] { return text_of("cancelled") == "--quiet 7\n"; }));
    manager->end();
    manager.reset();
    EXPECT_EQ(text_of("cancelled"), "--quiet 7\n--quiet --user=0 --name=ductile-job-1\n");
}

TEST_F(SlurmTest, WhatSbatchSaysIsTheReason) {
    command("sbatch",
            "echo 'sbatch: error: no' >&2; echo 'sbatch: error: none is free' >&2; exit 1");
    const auto manager = started();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(), (HostAnswer{Denied{ask, "sbatch: error: none is free"}}));
}

TEST_F(SlurmTest, AnAnswerThatIsNoneIsDeniedAndTheSidecarFound) {
    command("sbatch", "echo Submitted batch job 7");
    const auto manager = started();
    manager->request(ask, {1, {}});
    EXPECT_EQ(next_answer(),
              (HostAnswer{Denied{ask, "no number of a Slurm job: 'Submitted batch job 7'"}}));
    EXPECT_TRUE(run_until(io_, [this] { return text_of("cancelled") == "--quiet 7\n"; }));
}

TEST_F(SlurmTest, ASubmissionThatSeemedToFailIsCancelledWhenItsJobAppears) {
    list("");
    command("sbatch", "echo 'sbatch: error: Socket timed out' >&2; exit 1");
    auto manager = started();
    manager->request(ask, {1, {}});
    EXPECT_TRUE(std::holds_alternative<Denied>(next_answer()));
    // The first listings do not show the job.
    command("squeue", "echo x >> " + file("listed"));
    EXPECT_TRUE(run_until(io_, [this] { return text_of("listed").size() > 4; }));
    list("7|RUNNING|4|c|None");
    EXPECT_TRUE(run_until(io_, [this] { return text_of("cancelled") == "--quiet 7\n"; }));
}

TEST_F(SlurmTest, ASlurmThatDoesNotAnswerIsAskedAgain) {
    command("squeue", "echo 'squeue: error: Unable to contact slurm controller' >&2; exit 1");
    const auto manager = started();
    manager->request(ask, {1, {}});
    EXPECT_TRUE(run_until(io_, [this] { return !notices_.empty(); }));
    EXPECT_EQ(notices_, (std::vector<std::string>{
                            "Slurm does not answer, and is asked again: squeue: error: Unable to "
                            "contact slurm controller"}));
    list("7|PENDING|4||Resour");
    list("7|RUNN");
    list("7|RUNNING|4|c|None");
    EXPECT_EQ(next_answer(), (HostAnswer{Granted{ask, {{"c", 4}}, true}}));
    EXPECT_EQ(notices_.size(), 1u) << "it is said once";
}

TEST_F(SlurmTest, ACancelThatFailsIsRepeated) {
    const auto manager = started();
    manager->request(ask, {1, {}});
    next_answer();
    command("scancel", "echo failed >> " + file("failed") + "; exit 1");
    manager->release("c");
    EXPECT_TRUE(run_until(io_, [this] { return !text_of("failed").empty(); }));
    command("scancel", "echo \"$@\" >> " + file("cancelled"));
    EXPECT_TRUE(run_until(io_, [this] { return text_of("cancelled") == "--quiet 7\n"; }));
}

TEST_F(SlurmTest, AnAgentIsStartedByItsHostsJob) {
    command("srun", "read line; echo \"$line $SLURM_HINT $@\" >&2");
    ::setenv("SLURM_HINT", "stale", 1);
    const auto manager = started();
    std::string said;
    const auto agent = manager->start_agent(io_, "node02", {"/x/agent"}, "secret",
                                            [&said](int, const std::string& text) { said = text; });
    EXPECT_TRUE(run_until(io_, [&said] { return !said.empty(); }));
    ::unsetenv("SLURM_HINT");
    EXPECT_TRUE(said.starts_with("secret  --jobid=1 ")) << said;
    EXPECT_TRUE(said.ends_with(" --nodelist=node02 /x/agent")) << said;
    EXPECT_THROW(manager->start_agent(io_, "elsewhere", {"/x/agent"}, "", {}), SystemError);
}

// --- the Slurm job that the job runs in

TEST_F(SlurmTest, AJobOfThisUsersThatRunsIsFound) {
    const auto mine = "root(" + std::to_string(::getuid()) + ")";
    std::string shown = recorded::exclusive_job;
    command("scontrol", "echo \"" + shown.replace(shown.find("root(0)"), 7, mine) + "\"");
    EXPECT_EQ(find_slurm_job(SlurmJob{1}).job.hosts,
              (core::Allocation{{{"node01", 4}, {"node02", 4}}}));
}

TEST_F(SlurmTest, OtherJobsAreRefused) {
    const auto why_not = [] {
        try {
            static_cast<void>(find_slurm_job(SlurmJob{1}));
            return std::string("it was found");
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    std::string other = recorded::exclusive_job;
    other.replace(other.find("root(0)"), 7, "other(4242)");
    command("scontrol", "echo \"" + other + "\"");
    EXPECT_EQ(why_not(), "Slurm job 1 is another user's (4242)");
    std::string ended = recorded::exclusive_job;
    ended.replace(ended.find("root(0)"), 7, "me(" + std::to_string(::getuid()) + ")");
    ended.replace(ended.find("RUNNING"), 7, "COMPLETED");
    command("scontrol", "echo \"" + ended + "\"");
    EXPECT_EQ(why_not(), "Slurm job 1 is COMPLETED, not RUNNING");
    command("scontrol", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    EXPECT_EQ(why_not(),
              "Slurm's scontrol: exit code 1: slurm_load_jobs error: Invalid job id specified");
    command("sinfo", "echo slurm 20.02.1");
    EXPECT_EQ(why_not(), "this Slurm is older than 20.11, whose srun has no --overlap");
    command("sinfo", "echo what");
    EXPECT_EQ(why_not(), "no version of Slurm: 'what'");
}

}  // namespace
}  // namespace ductile::rms::slurm_test
