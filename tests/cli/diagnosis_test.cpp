// Recorded examinations of real MPIs, and what must be said about each.
#include "cli/doctor/diagnosis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/doctor/diagnosis_text.hpp"
#include "cli/doctor/probes.hpp"

namespace ductile::cli::diagnosis_test {
namespace {

std::string hydra_text(const std::string& version, const std::string& device) {
    return "HYDRA build details:\n    Version:                                 " + version +
           "\n    Configure options:                       --with-device=" + device +
           " --with-pm=hydra:gforker\n";
}

std::string library_text(const std::string& version, const std::string& device) {
    return "MPICH Version:      " + version + "\nMPICH Device:       " + device;
}

ProbeResult& result_of(Examination& seen, const std::string& probe) {
    for (auto& result : seen.results)
        if (result.probe == probe) return result;
    throw std::out_of_range(probe);
}

/// Every probe passed, as on MPICH 5.0.2.
Examination healthy() {
    Examination seen;
    seen.installation = {"/opt/mpich", "/opt/mpich/bin/mpicc", "/opt/mpich/bin/mpiexec"};
    seen.prefix_exists = true;
    seen.launcher_text = hydra_text("5.0.2", "ch4:ucx,ofi");
    for (const auto& probe : all_probes()) {
        ProbeResult result;
        result.probe = probe.name;
        result.state = ProbeState::passed;
        seen.results.push_back(result);
    }
    result_of(seen, "pmi1").facts = {{"ranks", "2"}, {"pmi_init", "2"}};
    result_of(seen, "thread_level").facts = {{"library", library_text("5.0.2", "ch4:ucx ofi")},
                                             {"netmod", "ofi"},
                                             {"provider", "tcp"},
                                             {"thread_level", "multiple"}};
    return seen;
}

/// The same for an MPI whose ranks are started by its own mpiexec.
Examination healthy_by_mpiexec(const std::string& launcher_text, const std::string& library) {
    Examination seen = healthy();
    std::erase_if(seen.results, [](const ProbeResult& result) { return result.probe == "pmi1"; });
    seen.launcher_text = launcher_text;
    result_of(seen, "thread_level").facts = {{"library", library}};
    return seen;
}

/// Fails the probe, and does not run those that need it.
void fail(Examination& seen, const std::string& probe, const std::string& trouble) {
    auto& result = result_of(seen, probe);
    result.state = ProbeState::failed;
    result.trouble = trouble;
    for (const auto& each : all_probes()) {
        const auto* its = seen.find(each.name);
        if (its == nullptr || its->state != ProbeState::passed) continue;
        const auto* needed = seen.find(each.needs);
        if (needed != nullptr && needed->state != ProbeState::passed)
            result_of(seen, each.name).state = ProbeState::not_run;
    }
}

const Finding& finding_of(const Diagnosis& diagnosis, const std::string& probe) {
    for (const auto& finding : diagnosis.findings)
        if (finding.probe == probe) return finding;
    throw std::out_of_range(probe);
}

int count(const Diagnosis& diagnosis, Verdict verdict) {
    int number = 0;
    for (const auto& finding : diagnosis.findings) number += finding.verdict == verdict ? 1 : 0;
    return number;
}

using Words = std::vector<std::string>;

TEST(Diagnosis, AHealthyMpiIsUsable) {
    const auto diagnosis = diagnose(healthy());
    EXPECT_TRUE(diagnosis.usable());
    EXPECT_EQ(count(diagnosis, Verdict::ok), static_cast<int>(diagnosis.findings.size()));
    EXPECT_EQ(diagnosis.findings.size(), all_probes().size() + 3)
        << "mpi, versions, network, and each probe";
    EXPECT_EQ(finding_of(diagnosis, "mpi").what, "MPICH 5.0.2, device ch4:ucx ofi");
    EXPECT_EQ(finding_of(diagnosis, "network").what,
              "device ch4:ucx ofi, netmod ofi, provider tcp");
    EXPECT_EQ(diagnosis.starts,
              (Words{"launch", "collective", "single", "hypercube", "diffusive"}));
    EXPECT_EQ(diagnosis.connects, (Words{"bridge", "ports"}));
    EXPECT_EQ(diagnosis.can.max_worlds_in_life, 1023);
    EXPECT_TRUE(diagnosis.can.survives_newcomer_death);
    for (const auto& finding : diagnosis.findings)
        EXPECT_TRUE(finding.cure.empty()) << finding.probe;
}

TEST(Diagnosis, EachBadFindingHasACure) {
    for (const auto& probe : all_probes()) {
        Examination seen = healthy();
        fail(seen, probe.name, "some reason");
        const auto diagnosis = diagnose(seen);
        const auto& finding = finding_of(diagnosis, probe.name);
        EXPECT_NE(finding.verdict, Verdict::ok) << probe.name;
        EXPECT_NE(finding.what.find("some reason"), std::string::npos) << finding.what;
        for (const auto& each : diagnosis.findings)
            EXPECT_EQ(each.cure.empty(), each.verdict == Verdict::ok);
    }
}

/// For each probe: whether Ductile can use an MPI that fails this probe.
TEST(Diagnosis, WhatDuctileNeedsFailsAndTheRestWarns) {
    const std::map<std::string, bool> usable_without = {{"pmi1", false},
                                                        {"thread_level", false},
                                                        {"spawn", true},
                                                        {"spawn_nested", true},
                                                        {"spawn_joined", true},
                                                        {"open_port", false},
                                                        {"connect", false},
                                                        {"strangers", false},
                                                        {"host_free", false},
                                                        {"newcomer_killed_before", true},
                                                        {"newcomer_killed_halfway", true},
                                                        {"abort_connector", true},
                                                        {"worlds", false}};
    ASSERT_EQ(usable_without.size(), all_probes().size());
    for (const auto& [probe, usable] : usable_without) {
        Examination seen = healthy();
        fail(seen, probe, "some reason");
        EXPECT_EQ(diagnose(seen).usable(), usable) << probe;
    }
}

TEST(Diagnosis, WithoutSpawnOnlyLaunchIsLeft) {
    Examination seen = healthy();
    fail(seen, "spawn", "MPI_Comm_spawn: Error in spawn call");
    const auto diagnosis = diagnose(seen);
    EXPECT_EQ(diagnosis.starts, (Words{"launch"}));
    EXPECT_EQ(finding_of(diagnosis, "spawn").verdict, Verdict::warn);
    EXPECT_EQ(finding_of(diagnosis, "not_run").what,
              "not tried, because a test that they need failed: spawn_nested, spawn_joined");

    Examination concurrent = healthy();
    fail(concurrent, "spawn_nested", "no end within 20.0 s");
    EXPECT_EQ(diagnose(concurrent).starts, (Words{"launch", "collective", "single"}));
}

TEST(Diagnosis, DebiansMpichCannotBeUsed) {
    Examination seen = healthy();
    seen.launcher_text = hydra_text("4.0.2", "ch4:ucx");
    result_of(seen, "thread_level").facts = {{"library", library_text("4.0.2", "ch4:ucx")},
                                             {"netmod", "ucx"}};
    fail(seen, "spawn", "MPI_Comm_spawn: Error in spawn call");
    fail(seen, "open_port",
         "MPI_Open_port: The function is currently not supported with ucx netmod");
    const auto diagnosis = diagnose(seen);
    EXPECT_FALSE(diagnosis.usable());
    EXPECT_EQ(
        finding_of(diagnosis, "mpi"),
        (Finding{"mpi", Verdict::fail,
                 "MPICH 4.0.2, device ch4:ucx: it has only the device ch4:ucx, which cannot spawn",
                 "use MPICH 5.0.2: pip install mpich==5.0.2, or ./scripts/setup"}));
    EXPECT_EQ(finding_of(diagnosis, "spawn").verdict, Verdict::fail) << "no start at all is left";
    EXPECT_EQ(finding_of(diagnosis, "open_port").verdict, Verdict::fail);
    EXPECT_EQ(finding_of(diagnosis, "network").verdict, Verdict::ok)
        << "ucx is all it has: said once";
    EXPECT_TRUE(diagnosis.starts.empty());
}

TEST(Diagnosis, Hydra42IsRefusedThoughItsProbesPass) {
    Examination seen = healthy();
    seen.launcher_text = hydra_text("4.2.3", "ch4:ofi,ucx");
    result_of(seen, "thread_level").facts["library"] = library_text("4.2.3", "ch4:ofi ucx");
    const auto diagnosis = diagnose(seen);
    EXPECT_FALSE(diagnosis.usable());
    EXPECT_NE(finding_of(diagnosis, "mpi").what.find("dies after some spawns"), std::string::npos);
    EXPECT_TRUE(diagnosis.starts.empty());
}

TEST(Diagnosis, OpenMpi5IsRefusedUntilItsProbesPass) {
    Examination seen = healthy_by_mpiexec("mpiexec (Open MPI) 5.0.11\n",
                                          "Open MPI v5.0.11, package: Open MPI, ident: 5.0.11");
    const auto passing = diagnose(seen);
    EXPECT_TRUE(passing.usable());
    EXPECT_EQ(finding_of(passing, "mpi").verdict, Verdict::warn);
    EXPECT_EQ(passing.starts.front(), "launch");

    fail(seen, "connect", "the newcomer: no end within 20.0 s");
    const auto failing = diagnose(seen);
    EXPECT_FALSE(failing.usable());
    EXPECT_EQ(finding_of(failing, "mpi").verdict, Verdict::fail);
}

TEST(Diagnosis, OpenMpi4SaysWhichStartsItAllows) {
    Examination seen = healthy_by_mpiexec("mpiexec (OpenRTE) 4.1.8\n",
                                          "Open MPI v4.1.8, package: Open MPI, ident: 4.1.8");
    fail(seen, "connect", "MPI_Comm_connect: MPI_ERR_INTERN: internal error");
    const auto diagnosis = diagnose(seen);
    EXPECT_TRUE(diagnosis.usable());
    EXPECT_EQ(finding_of(diagnosis, "connect").verdict, Verdict::warn);
    EXPECT_EQ(finding_of(diagnosis, "not_run").verdict, Verdict::warn);
    EXPECT_EQ(finding_of(diagnosis, "daemons").verdict, Verdict::warn);
    EXPECT_EQ(diagnosis.starts, (Words{"collective", "single"}));
    EXPECT_EQ(diagnosis.connects, Words{"bridge"});

    fail(seen, "spawn_joined", "no end within 20.0 s");
    EXPECT_FALSE(diagnose(seen).usable());
}

TEST(Diagnosis, MixedInstallationsAreSeen) {
    Examination seen = healthy();
    seen.launcher_text = hydra_text("4.3.2", "ch4:ucx,ofi");
    const auto diagnosis = diagnose(seen);
    EXPECT_FALSE(diagnosis.usable());
    EXPECT_EQ(finding_of(diagnosis, "versions").what,
              "mpiexec is MPICH 4.3.2, but libmpi is MPICH 5.0.2");
}

TEST(Diagnosis, WarnsOfTheProviderThatDoesNotOutliveADeadPeer) {
    Examination seen = healthy();
    result_of(seen, "thread_level").facts["provider"] = "sockets";
    const auto network = finding_of(diagnose(seen), "network");
    EXPECT_EQ(network.verdict, Verdict::warn);
    EXPECT_NE(network.cure.find("FI_PROVIDER"), std::string::npos);
}

TEST(Diagnosis, TheSelectedNetworkModuleMustBeTheOneInUse) {
    Examination seen = healthy();
    result_of(seen, "thread_level").facts["netmod"] = "ucx";
    EXPECT_EQ(finding_of(diagnose(seen), "network").verdict, Verdict::fail);
}

TEST(Diagnosis, WhatIsLeftBehindFails) {
    Examination seen = healthy();
    result_of(seen, "host_free").left_behind = {"hydra_pmi_proxy --id 0", "orted"};
    const auto diagnosis = diagnose(seen);
    EXPECT_FALSE(diagnosis.usable());
    EXPECT_NE(finding_of(diagnosis, "host_free").what.find("hydra_pmi_proxy --id 0, orted"),
              std::string::npos);
}

TEST(Diagnosis, GrowthInEachWorldIsAWarning) {
    Examination seen = healthy();
    result_of(seen, "worlds").facts = {{"worlds", "40"}, {"kib_per_world", "65"}};
    EXPECT_EQ(finding_of(diagnose(seen), "worlds").verdict, Verdict::ok)
        << "the known leak of 5.0.2";
    result_of(seen, "worlds").facts["kib_per_world"] = "600";
    EXPECT_EQ(finding_of(diagnose(seen), "worlds").verdict, Verdict::warn);
}

struct BrokenTool {
    const char* name;
    MpiInstallation installation;
    bool prefix_exists;
    const char* launcher_trouble;
    const char* what;
};

TEST(Diagnosis, BrokenToolsAreTheOnlyFinding) {
    const MpiInstallation complete = {"/p", "/p/bin/mpicc", "/p/bin/mpiexec"};
    const std::vector<BrokenTool> rows = {
        {"no MPI at all", {"", "", ""}, false, "", "no MPI was named and no mpiexec is in PATH"},
        {"no prefix", {"/p", "", ""}, false, "", "there is no directory /p"},
        {"no mpicc", {"/p", "", "/p/bin/mpiexec"}, true, "", "there is no mpicc in /p/bin"},
        {"no mpiexec", {"/p", "/p/bin/mpicc", ""}, true, "", "there is no mpiexec in /p/bin"},
        {"hangs", complete, true, "no end within 10.0 s",
         "/p/bin/mpiexec --version: no end within 10.0 s"},
    };
    for (const auto& row : rows) {
        Examination seen;
        seen.installation = row.installation;
        seen.prefix_exists = row.prefix_exists;
        seen.launcher_trouble = row.launcher_trouble;
        const auto diagnosis = diagnose(seen);
        ASSERT_EQ(diagnosis.findings.size(), 1U) << row.name;
        EXPECT_EQ(diagnosis.findings[0].what, row.what);
        EXPECT_FALSE(diagnosis.findings[0].cure.empty()) << row.name;
        EXPECT_FALSE(diagnosis.usable()) << row.name;
    }
}

TEST(Diagnosis, ACompilerThatFailsIsSaid) {
    Examination seen = healthy();
    seen.results.clear();
    seen.build_trouble = "exec: cc: not found";
    const auto diagnosis = diagnose(seen);
    EXPECT_FALSE(diagnosis.usable());
    EXPECT_EQ(finding_of(diagnosis, "build").what,
              "/opt/mpich/bin/mpicc cannot build a program: exec: cc: not found");
}

TEST(Diagnosis, TextNamesVerdictCureAndOptions) {
    Examination seen = healthy();
    fail(seen, "abort_connector", "no end within 20.0 s");
    const auto text = as_text(diagnose(seen), "/opt/mpich");
    const char* warning =
        "  WARN  abort_connector         an abort connector does not end an accept to which no "
        "other process connects: no end within 20.0 s\n";
    for (const char* part :
         {"MPI in /opt/mpich\n", "  OK    mpi                     MPICH 5.0.2", warning,
          "-> use MPICH 5.0.2: pip install mpich==5.0.2", "environment   MPICH_CH4_NETMOD=ofi",
          "over TCP      FI_OFI_RXM_BUFFER_SIZE=2048", "fewer than 1023 worlds in a process's life",
          "Ductile can use this MPI.\n"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Diagnosis, TextSaysThatASpawnReachesOneHost) {
    Diagnosis diagnosis = diagnose(healthy());
    const std::string limit = "one MPI_Comm_spawn starts ranks on one host";
    EXPECT_EQ(as_text(diagnosis, "/opt/mpi").find(limit), std::string::npos);
    diagnosis.can.spawn_counts_by_host = false;  // Intel MPI
    EXPECT_NE(as_text(diagnosis, "/opt/mpi").find(limit), std::string::npos);
}

TEST(Diagnosis, TextSaysThatASpawnKeepsTheProgramOutOfMpi) {
    Diagnosis diagnosis = diagnose(healthy());
    const std::string limit = "a program of several ranks continues only with launch";
    EXPECT_EQ(as_text(diagnosis, "/opt/mpi").find(limit), std::string::npos);
    diagnosis.can.spawn_blocks_threads = true;  // Intel MPI
    EXPECT_NE(as_text(diagnosis, "/opt/mpi").find(limit), std::string::npos);
}

TEST(Diagnosis, TextSaysWhoStartsTheRanks) {
    EXPECT_NE(as_text(diagnose(healthy()), "/opt/mpi")
                  .find("  ranks         started by Ductile's agents, which serve PMI-1 to them\n"),
              std::string::npos);
    const auto by_mpiexec =
        diagnose(healthy_by_mpiexec("mpiexec (OpenRTE) 4.1.8\n", "Open MPI v4.1.8"));
    EXPECT_NE(
        as_text(by_mpiexec, "/opt/mpi").find("  ranks         started by the MPI's mpiexec\n"),
        std::string::npos);
}

struct Pmi1Row {
    const char* name;
    std::map<std::string, std::string> facts;
    const char* what;
};

/// What the ranks and their process manager saw, and what the diagnosis says about it.
TEST(Diagnosis, SaysHowAnMpiMissesPmi1) {
    const std::vector<Pmi1Row> rows = {
        {"N singletons",
         {{"ranks", "1\n1"}, {"pmi_init", "0"}},
         "it does not speak PMI-1 (PMI_PORT), by which Ductile starts ranks; each rank is a world "
         "of "
         "its own, as with an MPI that is built for PMIx or Slurm's PMI: some reason"},
        {"nobody comes to count",
         {{"pmi_init", "0"}},
         "it does not speak PMI-1 (PMI_PORT), by which Ductile starts ranks: some reason"},
        {"a deadline",
         {},
         "it does not speak PMI-1 (PMI_PORT), by which Ductile starts ranks: some "
         "reason"},
        {"it speaks, and stays alone",
         {{"ranks", "1\n1"}, {"pmi_init", "2"}},
         "it speaks PMI-1, but two ranks are two worlds: some reason"},
        {"it speaks, and dies",
         {{"pmi_init", "2"}},
         "it speaks PMI-1, but two ranks do not make a world: some reason"},
    };
    for (const auto& row : rows) {
        Examination seen = healthy();
        fail(seen, "pmi1", "some reason");
        result_of(seen, "pmi1").facts = row.facts;
        const auto diagnosis = diagnose(seen);
        EXPECT_EQ(finding_of(diagnosis, "pmi1").what, row.what) << row.name;
        EXPECT_EQ(finding_of(diagnosis, "pmi1").verdict, Verdict::fail) << row.name;
        EXPECT_FALSE(diagnosis.usable()) << row.name;
        EXPECT_TRUE(diagnosis.starts.empty()) << row.name;
    }
}

TEST(Diagnosis, JsonHoldsTheSame) {
    Examination seen = healthy();
    fail(seen, "worlds", "not text: \xff");
    const auto json = nlohmann::json::parse(as_json(diagnose(seen), "/opt/mpich"));
    EXPECT_EQ(json.at("prefix"), "/opt/mpich");
    EXPECT_EQ(json.at("usable"), false);
    EXPECT_EQ(json.at("capabilities").at("environment").at("MPICH_CH4_NETMOD"), "ofi");
    EXPECT_EQ(json.at("capabilities").at("max_worlds_in_life"), 1023);
    EXPECT_EQ(json.at("capabilities").at("spawn_blocks_threads"), false);
    EXPECT_EQ(json.at("capabilities").at("agents_start_ranks"), true);
    EXPECT_EQ(json.at("starts").at(0), "launch");
    std::map<std::string, std::string> verdicts;
    for (const auto& finding : json.at("findings"))
        verdicts[finding.at("probe")] = finding.at("verdict");
    EXPECT_EQ(verdicts.at("worlds"), "fail");
    EXPECT_EQ(verdicts.at("strangers"), "ok");
}

TEST(Probes, NeedOnlyWhatRanBeforeThem) {
    std::vector<std::string> before;
    for (const auto& probe : all_probes()) {
        const bool is_known = std::find(before.begin(), before.end(), probe.needs) != before.end();
        EXPECT_EQ(is_known, !probe.needs.empty()) << probe.name;
        EXPECT_EQ(probe.runs.front().role, "program") << probe.name;
        before.push_back(probe.name);
    }
}

TEST(Probes, RanksAreStartedAsThoseOfAJob) {
    const auto launcher = [](const std::string& text) {
        return launcher_of(mpi::in_a_job(mpi::known_capabilities(text)), "/m/mpiexec", "/l/ranks");
    };
    EXPECT_EQ(launcher(hydra_text("5.0.2", "ch4:ofi")), Words{"/l/ranks"});
    EXPECT_EQ(launcher("Intel(R) MPI Library for Linux* OS, Version 2021.18.1"), Words{"/l/ranks"});
    EXPECT_EQ(launcher("mpiexec (OpenRTE) 4.1.8"),
              (Words{"/m/mpiexec", "--oversubscribe", "--allow-run-as-root"}));
    EXPECT_EQ(launcher("unheard of"), Words{"/m/mpiexec"});
}

}  // namespace
}  // namespace ductile::cli::diagnosis_test
