#include "cli/doctor/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace ductile::cli {
namespace {

constexpr const char* use_default_mpi =
    "use MPICH 5.0.2: pip install mpich==5.0.2, or ./scripts/setup";
constexpr long much_kib_per_world = 512;

/// The texts for a probe's outcomes, and how serious a failure is.
struct Meaning {
    const char* probe;
    const char* passed;
    const char* failed;
    bool is_needed;
};

constexpr std::array<Meaning, 13> meanings = {{
    {"pmi1", "two ranks speak PMI-1 and are one world", "its ranks cannot be started", true},
    {"thread_level", "two ranks run with MPI_THREAD_MULTIPLE", "a plain run of two ranks fails",
     true},
    {"open_port", "ports open", "no port can be opened", true},
    {"connect", "independent runs connect", "independent runs cannot connect", true},
    {"strangers", "MPI_Intercomm_create joins the ranks of two runs whose leaders are connected",
     "MPI_Intercomm_create does not join the ranks of two runs whose leaders are connected", true},
    {"host_free", "a group that left is gone from its host",
     "a group that leaves does not free its host", true},
    {"newcomer_killed_before", "the program survives a newcomer killed before it is joined",
     "a newcomer killed before it is joined ends the program, too", false},
    {"newcomer_killed_halfway", "the program survives a newcomer killed while it is joined",
     "a newcomer killed while it is joined ends the program, too", false},
    {"abort_connector", "an abort connector ends an accept to which no other process connects",
     "an abort connector does not end an accept to which no other process connects", false},
    {"worlds", "many worlds join a program, one after the other",
     "many worlds cannot join a program, one after the other", true},
    {"spawn", "MPI_Comm_spawn works", "MPI_Comm_spawn fails", false},
    {"spawn_nested", "nested and concurrent spawns work", "nested or concurrent spawns fail",
     false},
    {"spawn_joined", "groups that MPI_Comm_spawn starts are joined, and leave, several times",
     "groups that MPI_Comm_spawn starts cannot be joined several times", false},
}};

const Meaning* meaning_of(const std::string& probe) {
    for (const auto& meaning : meanings)
        if (meaning.probe == probe) return &meaning;
    return nullptr;
}

bool passed(const Examination& seen, const std::string& probe) {
    const auto* result = seen.find(probe);
    return result != nullptr && result->state == ProbeState::passed;
}

std::string fact(const Examination& seen, const std::string& probe, const std::string& key) {
    const auto* result = seen.find(probe);
    if (result == nullptr) return {};
    const auto found = result->facts.find(key);
    return found == result->facts.end() ? "" : found->second;
}

/// Whether this MPI needs the probe. The probe of PMI-1 runs only if a job's agents start the
/// ranks.
bool is_tried(const Meaning& meaning, const Examination& seen) {
    return std::string_view(meaning.probe) != "pmi1" || seen.find("pmi1") != nullptr;
}

bool all_needed_passed(const Examination& seen) {
    return std::all_of(meanings.begin(), meanings.end(), [&seen](const Meaning& meaning) {
        return !meaning.is_needed || !is_tried(meaning, seen) || passed(seen, meaning.probe);
    });
}

/// Whether a job works although separate runs cannot connect: MPI_Comm_spawn then starts its
/// groups.
bool lives_by_spawning(const Examination& seen, const mpi::Capabilities& known) {
    return known.refused.empty() && !known.independent_connect && passed(seen, "spawn_joined");
}

std::string name_of(const mpi::Capabilities& can) {
    return can.version.empty() ? can.implementation : can.implementation + " " + can.version;
}

Finding tool_finding(const Examination& seen) {
    const auto& at = seen.installation;
    if (at.prefix.empty())
        return {"mpi", Verdict::fail, "no MPI was named and no mpiexec is in PATH",
                use_default_mpi};
    if (!seen.prefix_exists)
        return {"mpi", Verdict::fail, "there is no directory " + at.prefix,
                "name the MPI's prefix, the directory that holds bin/mpicc and bin/mpiexec"};
    if (at.mpicc.empty())
        return {
            "mpi", Verdict::fail, "there is no mpicc in " + at.prefix + "/bin",
            "install the MPI's development files (Debian: libmpich-dev), or name another prefix"};
    if (at.mpiexec.empty())
        return {"mpi", Verdict::fail, "there is no mpiexec in " + at.prefix + "/bin",
                "install the MPI's launcher (Debian: mpich), or name another prefix"};
    return {"mpi", Verdict::fail, at.mpiexec + " --version: " + seen.launcher_trouble,
            "run it by hand; if it does not answer there either, install the MPI anew"};
}

/// Names the MPI, and tells whether Ductile refuses it. The probes can overrule some refusals
/// (Capabilities::refused_until_probed).
Finding mpi_finding(const Examination& seen, const mpi::Capabilities& known) {
    Finding finding{"mpi", Verdict::ok, name_of(known), ""};
    if (known.implementation == "unknown") finding.what = "another MPI";
    if (!known.device.empty()) finding.what += ", device " + known.device;
    if (!seen.installation.library_folder.empty())
        finding.what += " (it has no mpicc; the probes are built by " + seen.installation.mpicc +
                        ", of the same binary interface)";
    if (known.refused.empty()) return finding;
    const auto reason_end = known.refused.rfind("; ");
    const bool overruled = known.refused_until_probed && all_needed_passed(seen);
    finding.verdict = overruled ? Verdict::warn : Verdict::fail;
    finding.what += ": " + known.refused.substr(0, reason_end);
    finding.cure = overruled ? "the probes pass: it may be used, but its limits are not known"
                             : use_default_mpi;
    return finding;
}

Finding version_finding(const mpi::Capabilities& launcher, const mpi::Capabilities& library) {
    if (launcher.implementation == library.implementation && launcher.version == library.version)
        return {"versions", Verdict::ok, "mpiexec and libmpi are both " + name_of(library), ""};
    return {"versions", Verdict::fail,
            "mpiexec is " + name_of(launcher) + ", but libmpi is " + name_of(library),
            "use mpicc and mpiexec of one installation; look at LD_LIBRARY_PATH, which can name "
            "another libmpi"};
}

Finding network_finding(const Examination& seen, const mpi::Capabilities& can) {
    const std::string netmod = fact(seen, "thread_level", "netmod");
    const std::string provider = fact(seen, "thread_level", "provider");
    Finding finding{"network", Verdict::ok, "", ""};
    if (!can.device.empty()) finding.what = "device " + can.device;
    if (!netmod.empty()) finding.what += (finding.what.empty() ? "netmod " : ", netmod ") + netmod;
    if (!provider.empty()) finding.what += ", provider " + provider;
    if (finding.what.empty()) finding.what = "this MPI does not say which network it uses";
    const auto wanted = can.environment.find("MPICH_CH4_NETMOD");
    if (wanted != can.environment.end() && !netmod.empty() && netmod != wanted->second) {
        finding.verdict = Verdict::fail;
        finding.what += " although MPICH_CH4_NETMOD=" + wanted->second + " is set";
        finding.cure = use_default_mpi;
    } else if (provider == "sockets") {
        finding.verdict = Verdict::warn;
        finding.what += ", which ends a program when a new rank dies while it joins";
        finding.cure = "set FI_PROVIDER=tcp;ofi_rxm, or unset it";
    }
    return finding;
}

/// A detail such as " (joined in 10.0 ms)".
std::string detail(const Examination& seen, const std::string& probe) {
    const auto value = [&](const char* key) { return fact(seen, probe, key); };
    if (!value("join_ms").empty()) return " (joined in " + value("join_ms") + " ms)";
    if (!value("ended_ms").empty()) return " (within " + value("ended_ms") + " ms)";
    if (!value("worlds").empty())
        return " (" + value("worlds") + " tried" +
               (value("kib_per_world").empty() ? ""
                                               : ", " + value("kib_per_world") + " KiB a world") +
               ")";
    return {};
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// Whether the probe only needs that ranks can be started.
bool starts_ranks(std::string_view probe) {
    return probe == "pmi1" || probe == "thread_level";
}

Verdict verdict_of_failure(const Meaning& meaning, const Examination& seen,
                           const mpi::Capabilities& known) {
    if (!starts_ranks(meaning.probe) && lives_by_spawning(seen, known)) return Verdict::warn;
    const bool is_spawn = std::string_view(meaning.probe).starts_with("spawn");
    // Without MPI_Comm_spawn the launch start still works, if nothing that it needs is missing.
    if (is_spawn) return passed(seen, "strangers") ? Verdict::warn : Verdict::fail;
    return meaning.is_needed ? Verdict::fail : Verdict::warn;
}

std::string cure_of_failure(const std::string& probe, const Examination& seen,
                            const mpi::Capabilities& known) {
    if (probe == "pmi1")
        return "take an MPI that is built with PMI-1 of its own (MPICH: without --with-pmi, "
               "--with-pmix and --with-slurm), or " +
               std::string(use_default_mpi);
    if (probe == "thread_level")
        return "run a plain MPI program by hand with this mpiexec; if that fails too, install the "
               "MPI anew";
    if (lives_by_spawning(seen, known))
        return "--start launch and parallel starts need it, and are refused; collective (the "
               "default here) and single do not need it";
    const bool is_spawn = probe.starts_with("spawn");
    if (is_spawn && known.refused.empty())
        return "only starts by MPI_Comm_spawn need it (launch, the default, does not); to use "
               "them, " +
               std::string(use_default_mpi);
    return use_default_mpi;
}

/// Describes the failure of ranks that should form one world over PMI-1.
std::string pmi1_failure(const ProbeResult& result, const Examination& seen) {
    const int spoken = std::atoi(fact(seen, "pmi1", "pmi_init").c_str());
    const int size = std::atoi(fact(seen, "pmi1", "ranks").c_str());  // as the first rank sees it
    if (spoken == 0)
        return std::string("it does not speak PMI-1 (PMI_PORT), by which Ductile starts ranks") +
               (size == 1 ? "; each rank is a world of its own, as with an MPI that is built for "
                            "PMIx or Slurm's PMI: "
                          : ": ") +
               result.trouble;
    if (size == 1) return "it speaks PMI-1, but two ranks are two worlds: " + result.trouble;
    return "it speaks PMI-1, but two ranks do not make a world: " + result.trouble;
}

Finding probe_finding(const ProbeResult& result, const Examination& seen,
                      const mpi::Capabilities& known) {
    const Meaning& meaning = *meaning_of(result.probe);
    if (result.state == ProbeState::failed)
        return {result.probe, verdict_of_failure(meaning, seen, known),
                result.probe == "pmi1" ? pmi1_failure(result, seen)
                                       : std::string(meaning.failed) + ": " + result.trouble,
                cure_of_failure(result.probe, seen, known)};
    if (!result.left_behind.empty())
        return {result.probe, Verdict::fail,
                std::string(meaning.passed) +
                    ", but processes were left behind: " + joined(result.left_behind),
                use_default_mpi};
    Finding finding{result.probe, Verdict::ok, meaning.passed + detail(seen, result.probe), ""};
    if (std::atol(fact(seen, result.probe, "kib_per_world").c_str()) > much_kib_per_world) {
        finding.verdict = Verdict::warn;
        finding.cure =
            "the memory of a job grows with each added world: " + std::string(use_default_mpi);
    }
    return finding;
}

/// Adds one finding for all probes that did not run because a probe that they need failed.
void add_not_run(std::vector<Finding>& findings, const Examination& seen,
                 const mpi::Capabilities& known) {
    std::vector<std::string> names;
    bool is_any_needed = false;
    for (const auto& result : seen.results) {
        if (result.state != ProbeState::not_run) continue;
        names.push_back(result.probe);
        is_any_needed = is_any_needed ||
                        (meaning_of(result.probe)->is_needed && !lives_by_spawning(seen, known));
    }
    if (names.empty()) return;
    findings.push_back({"not_run", is_any_needed ? Verdict::fail : Verdict::warn,
                        "not tried, because a test that they need failed: " + joined(names),
                        "cure the failed tests first"});
}

mpi::Capabilities as_probed(mpi::Capabilities can, const Examination& seen) {
    can.spawn = passed(seen, "spawn");
    can.open_port = passed(seen, "open_port");
    can.independent_connect = passed(seen, "connect");
    can.introduces_strangers = passed(seen, "strangers");
    can.survives_newcomer_death =
        passed(seen, "newcomer_killed_before") && passed(seen, "newcomer_killed_halfway");
    if (can.refused_until_probed && all_needed_passed(seen)) can.refused.clear();
    return can;
}

void add_options(Diagnosis& diagnosis, const Examination& seen) {
    const auto& can = diagnosis.can;
    if (!can.refused.empty() && !can.refused_until_probed) return;
    if (can.can_launch_groups()) diagnosis.starts.emplace_back("launch");
    if (can.spawn && passed(seen, "spawn_joined"))
        diagnosis.starts.insert(diagnosis.starts.end(), {"collective", "single"});
    const bool may_be_parallel = can.parallel_spawn || can.refused_until_probed;
    if (can.spawn && may_be_parallel && passed(seen, "spawn_nested"))
        diagnosis.starts.insert(diagnosis.starts.end(), {"hypercube", "diffusive"});
    if (can.introduces_strangers || passed(seen, "spawn_joined"))
        diagnosis.connects.emplace_back("bridge");
    if (can.independent_connect) diagnosis.connects.emplace_back("ports");
}

}  // namespace

bool is_usable(const std::vector<Finding>& findings) {
    return std::none_of(findings.begin(), findings.end(),
                        [](const Finding& finding) { return finding.verdict == Verdict::fail; });
}

Diagnosis diagnose(const Examination& seen) {
    Diagnosis diagnosis;
    auto& findings = diagnosis.findings;
    if (seen.installation.mpicc.empty() || seen.installation.mpiexec.empty() ||
        !seen.launcher_trouble.empty()) {
        findings.push_back(tool_finding(seen));
        return diagnosis;
    }
    const auto launcher = mpi::known_capabilities(seen.launcher_text);
    const auto library_text = fact(seen, "thread_level", "library");
    const auto known =
        mpi::in_a_job(library_text.empty() ? launcher : mpi::known_capabilities(library_text));
    diagnosis.can = as_probed(known, seen);

    findings.push_back(mpi_finding(seen, known));
    if (!seen.build_trouble.empty())
        findings.push_back(
            {"build", Verdict::fail,
             seen.installation.mpicc + " cannot build a program: " + seen.build_trouble,
             "install a C compiler (Debian: gcc and libc6-dev), and the MPI's development files"});
    if (!library_text.empty()) findings.push_back(version_finding(launcher, known));
    if (passed(seen, "thread_level")) findings.push_back(network_finding(seen, known));
    for (const auto& result : seen.results)
        if (result.state != ProbeState::not_run)
            findings.push_back(probe_finding(result, seen, known));
    add_not_run(findings, seen, known);
    if (known.keeps_daemons)
        findings.push_back({"daemons", Verdict::warn,
                            "its daemon stays on a host that a job has left, until the job ends",
                            "until then such a host cannot be given back to Slurm"});
    add_options(diagnosis, seen);
    return diagnosis;
}

}  // namespace ductile::cli
