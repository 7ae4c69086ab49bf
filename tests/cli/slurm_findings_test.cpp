#include "cli/doctor/slurm_findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "cli/doctor/diagnosis_text.hpp"

namespace ductile::cli::slurm_findings_test {
namespace {

/// Lines of `scontrol show config` of Slurm 22.05.8.
const std::string config =
    "Configuration data as of 2026-11-27T08:00:00\n"
    "AccountingStorageEnforce = none\n"
    "AccountingStorageType   = accounting_storage/slurmdbd\n"
    "ClusterName             = ductile\n"
    "PrivateData             = none\n"
    "PrologFlags             = Alloc,Contain\n"
    "SchedulerParameters     = (null)\n"
    "SelectType              = select/cons_tres\n"
    "SlurmdTimeout           = 300 sec\n"
    "\nSlurmctld(primary) at head is UP\n";

SlurmSeen healthy() {
    SlurmSeen seen;
    seen.version = {true, "slurm-wlm 22.05.8\n"};
    seen.config = {true, config};
    seen.associations = {true, "\n"};
    seen.trial = SidecarTrial{.was_idle = true,
                              .submitted = {true, "12\n"},
                              .granted_after_s = 0.24,
                              .waited_s = 0.24,
                              .listed = {true, ""},
                              .state = "RUNNING (None)",
                              .step = {true, ""},
                              .ended = {true, ""}};
    return seen;
}

/// The same with another value for this key of the configuration.
SlurmSeen with(const std::string& key, const std::string& value) {
    auto seen = healthy();
    const auto at = seen.config.text.find(key);
    const auto begin = seen.config.text.find('=', at) + 2;
    seen.config.text.replace(begin, seen.config.text.find('\n', begin) - begin, value);
    return seen;
}

Finding find(const SlurmSeen& seen, const std::string& probe) {
    for (const auto& finding : slurm_findings(seen))
        if (finding.probe == probe) return finding;
    throw std::out_of_range(probe);
}

TEST(SlurmFindings, AHealthySlurmIsUsable) {
    const auto findings = slurm_findings(healthy());
    EXPECT_TRUE(is_usable(findings));
    EXPECT_TRUE(std::ranges::all_of(findings, [](const Finding& one) {
        return one.verdict == Verdict::ok && one.cure.empty();
    }));
    EXPECT_EQ(find(healthy(), "version").what, "Slurm 22.05");
    EXPECT_EQ(find(healthy(), "sidecar").what, "one host was granted after 0.2 s, and given back");
    EXPECT_NE(find(healthy(), "expansion").what.find("Contain"), std::string::npos);
    EXPECT_NE(as_text(findings).find("  OK    sidecar "), std::string::npos);
    EXPECT_NE(as_json(findings).find("\"usable\": true"), std::string::npos);
}

TEST(SlurmFindings, AnOldOrUnknownSlurmIsNot) {
    for (const char* version : {"slurm 20.02.7", "lsf 10", ""}) {
        auto seen = healthy();
        seen.version.text = version;
        EXPECT_EQ(find(seen, "version").verdict, Verdict::fail) << version;
    }
}

TEST(SlurmFindings, WithoutAnAnswerThereIsNothingMore) {
    SlurmSeen seen;
    seen.version = {false, "sinfo: cannot be started: No such file or directory"};
    seen.config = {false, "scontrol: no end within 20.0 s"};
    const auto findings = slurm_findings(seen);
    ASSERT_EQ(findings.size(), 2U);
    for (const auto& finding : findings) {
        EXPECT_EQ(finding.verdict, Verdict::fail);
        EXPECT_FALSE(finding.cure.empty());
    }
}

TEST(SlurmFindings, ASidecarMayBeRefusedOrHaveToWait) {
    auto seen = healthy();
    seen.trial = SidecarTrial{.submitted = {false, "sbatch: error: invalid partition"}};
    EXPECT_EQ(find(seen, "sidecar").verdict, Verdict::fail);
    EXPECT_THROW(find(seen, "agent"), std::out_of_range);
    seen.trial = SidecarTrial{.submitted = {true, "12"},
                              .waited_s = 30,
                              .listed = {true, ""},
                              .state = "PENDING (Resources)",
                              .ended = {true, ""}};
    EXPECT_EQ(find(seen, "sidecar").verdict, Verdict::warn);
    EXPECT_NE(find(seen, "sidecar").what.find("PENDING (Resources)"), std::string::npos);
    for (const char* state : {"PENDING (BadConstraints)", "PENDING (PartitionTimeLimit)",
                              "PENDING (AssocMaxJobsLimit)", "FAILED (None)", "NODE_FAIL (None)"}) {
        seen.trial->state = state;
        EXPECT_EQ(find(seen, "sidecar").verdict, Verdict::fail) << state;
        EXPECT_FALSE(may_still_start(state));
    }
    seen.trial->listed = {false, "squeue: no end within 20.0 s"};
    EXPECT_EQ(find(seen, "sidecar").verdict, Verdict::fail);
    seen.trial->ended = {false, "scancel: no answer"};
    EXPECT_EQ(find(seen, "sidecar").verdict, Verdict::fail);
    seen = healthy();
    seen.trial->was_idle = false;
    seen.trial->granted_after_s = 20;
    EXPECT_EQ(find(seen, "sidecar").verdict, Verdict::warn);
    EXPECT_EQ(find(seen, "sidecar").what,
              "one host was granted by the queue after 20.0 s, and given back");
    seen.trial->step = {false, "srun: error"};
    EXPECT_EQ(find(seen, "agent").verdict, Verdict::fail);
}

TEST(SlurmFindings, SettingsOfTheSiteAreExplained) {
    EXPECT_NE(find(healthy(), "grants").what.find("every 3 s"), std::string::npos);
    EXPECT_NE(find(with("SchedulerParameters", "bf_interval=9,batch_sched_delay=0"), "grants")
                  .what.find("every 0 s"),
              std::string::npos);
    EXPECT_EQ(find(with("PrivateData", "accounts,jobs"), "private_data").verdict, Verdict::warn);
    EXPECT_EQ(find(with("PrivateData", "accounts"), "private_data").verdict, Verdict::ok);
    EXPECT_NE(find(with("AccountingStorageType", "(null)"), "accounting").what.find("none"),
              std::string::npos);
    EXPECT_NE(find(with("PrologFlags", "(null)"), "expansion").what.find("no permit_job_expansion"),
              std::string::npos);
}

TEST(SlurmFindings, ItIsSaidWhetherSidecarsCanBeMerged) {
    EXPECT_NE(find(with("PrologFlags", "Serial"), "expansion").what.find("cannot be merged"),
              std::string::npos);
    auto seen = with("SchedulerParameters", "permit_job_expansion");
    EXPECT_NE(find(seen, "expansion").what.find("Contain"), std::string::npos);
    seen.config.text.erase(seen.config.text.find("Alloc,Contain"), 13);
    EXPECT_NE(find(seen, "expansion").what.find("can be merged"), std::string::npos);
}

TEST(SlurmFindings, TheDuctiledOfTheSiteIsAsked) {
    auto seen = healthy();
    EXPECT_EQ(find(seen, "ductiled").verdict, Verdict::ok);
    EXPECT_NE(find(seen, "ductiled").what.find("does not run it"), std::string::npos);
    seen.site = {"/etc/site", {true, ""}, false};
    EXPECT_NE(find(seen, "ductiled").what.find("was not asked"), std::string::npos);
    seen.site.was_asked = true;
    EXPECT_EQ(find(seen, "ductiled").what, "it answers (--policy site)");
    for (const bool was_asked : {false, true}) {
        seen.site = {"/etc/site", {false, "nobody is there"}, was_asked};
        EXPECT_EQ(find(seen, "ductiled").verdict, Verdict::warn);
        EXPECT_NE(find(seen, "ductiled").what.find("nobody is there"), std::string::npos);
    }
}

TEST(SlurmFindings, LimitsOnJobsAreSaid) {
    auto seen = with("AccountingStorageEnforce", "associations,limits");
    EXPECT_EQ(find(seen, "limits").verdict, Verdict::ok);
    seen.associations.text = "physics|10|20||\nother||||4\n";
    EXPECT_EQ(find(seen, "limits").verdict, Verdict::warn);
    EXPECT_EQ(find(seen, "limits").what,
              "MaxJobs=10 (account physics), MaxSubmit=20 (account physics), GrpSubmit=4 (account "
              "other)");
    seen.associations = {false, "sacctmgr: error"};
    EXPECT_EQ(find(seen, "limits").verdict, Verdict::warn);
    seen = healthy();
    seen.associations.text = "physics|10|20||\n";
    EXPECT_EQ(find(seen, "limits").verdict, Verdict::ok);  // not enforced
}

}  // namespace
}  // namespace ductile::cli::slurm_findings_test
