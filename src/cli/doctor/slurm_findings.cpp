#include "cli/doctor/slurm_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "ductile/error.hpp"
#include "policy/hosts_within.hpp"
#include "rms/slurm_commands.hpp"
#include "rms/slurm_config.hpp"

namespace ductile::cli {

namespace {

constexpr std::size_t most_limits_shown = 5;
constexpr std::chrono::duration<double> policy_waits = policy::hosts_within;

using Config = rms::SlurmConfig;
using rms::parts_of;

Finding ok(const char* probe, std::string what) {
    return {probe, Verdict::ok, std::move(what), {}};
}

Finding version_finding(const SlurmAnswer& answer) {
    if (!answer.worked)
        return {"version", Verdict::fail, answer.text,
                "put Slurm's commands in PATH; set SLURM_CONF if slurm.conf is not in /etc/slurm"};
    try {
        const auto version = rms::parse_slurm_version(answer.text);
        const auto name = "Slurm " + fmt::format("{}.{:02}", version.major, version.minor);
        if (version < rms::oldest_slurm)
            return {"version", Verdict::fail, name,
                    "Ductile needs Slurm 20.11 or later, whose srun has --overlap"};
        return ok("version", name);
    } catch (const InputError& error) {
        return {"version", Verdict::fail, error.what(), "Ductile does not know this Slurm"};
    }
}

Finding sidecar_finding(const SidecarTrial& trial) {
    if (!trial.submitted.worked)
        return {"sidecar", Verdict::fail,
                "sbatch refused a job of one host: " + trial.submitted.text,
                "a job cannot grow here; try another --partition or --account"};
    if (!trial.ended.worked)
        return {"sidecar", Verdict::fail, "scancel could not end the test job: " + trial.ended.text,
                "cancel by hand the job whose name begins with ductile-doctor"};
    if (!trial.listed.worked)
        return {"sidecar", Verdict::fail, "squeue does not show the test job: " + trial.listed.text,
                "show this to an administrator"};
    if (!trial.granted_after_s && !may_still_start(trial.state))
        return {"sidecar", Verdict::fail, "a job of one host does not start: " + trial.state,
                "a job cannot grow here; try another --partition or --account"};
    if (!trial.granted_after_s)
        return {"sidecar", Verdict::warn,
                fmt::format("no host was granted within {:.0f} s: {}", trial.waited_s, trial.state),
                "a growth waits until a host is idle (`ductile run --hosts-within`)"};
    const auto granted = fmt::format("one host was granted {}after {:.1f} s, and given back",
                                     trial.was_idle ? "" : "by the queue ", *trial.granted_after_s);
    if (*trial.granted_after_s > policy_waits.count())
        return {"sidecar", Verdict::warn, granted,
                fmt::format("a policy waits {:.0f} s for hosts, and will not grow the job here; "
                            "`ductile resize` can",
                            policy_waits.count())};
    return ok("sidecar", granted);
}

Finding step_finding(const SidecarTrial& trial) {
    if (trial.step.worked)
        return ok("agent", "srun --overlap starts a program on the granted host");
    return {"agent", Verdict::fail,
            "srun starts no program on the granted host: " + trial.step.text,
            "show this to an administrator"};
}

/// Slurm considers new batch jobs only at intervals.
Finding delay_finding(const Config& config) {
    std::string delay = "3";
    for (const auto& one : parts_of(config.value("SchedulerParameters"), ','))
        if (one.starts_with("batch_sched_delay=")) delay = one.substr(one.find('=') + 1);
    return ok("grants",
              "an idle host is granted at once; a growth that waits in the queue is "
              "looked at every " +
                  delay + " s (batch_sched_delay)");
}

Finding site_finding(const SiteSeen& site) {
    if (site.file.empty())
        return ok("ductiled", "this site does not run it: each job decides for itself (--policy)");
    if (!site.was_asked && site.answer.worked)
        return ok("ductiled",
                  site.file + " names it; it was not asked, because no host was granted");
    if (!site.answer.worked)
        return {"ductiled", Verdict::warn, "--policy site does not work: " + site.answer.text,
                "show this to an administrator; other policies do not need ductiled"};
    return ok("ductiled", "it answers (--policy site)");
}

Finding privacy_finding(const Config& config) {
    if (!config.lists("PrivateData", "jobs"))
        return ok("private_data",
                  "the jobs of other users can be seen, as --policy natural needs it");
    return {"private_data", Verdict::warn,
            "the site hides the jobs of other users (PrivateData=jobs)",
            "--policy natural does not see their waiting jobs; limit the size by --max"};
}

Finding expansion_finding(const Config& config) {
    const auto why = rms::why_no_merge(config);
    return ok("expansion", why ? "sidecars cannot be merged into the first job (" + *why +
                                     "); Ductile does not need that"
                               : "sidecars can be merged into a first job with whole hosts "
                                 "(--slurm-growth merge), if hosts can leave it again");
}

Finding accounting_finding(const Config& config) {
    return ok("accounting", config.has_accounting() ? config.value("AccountingStorageType") +
                                                          ": each sidecar is a job of yours there"
                                                    : "there is none, and sidecars need none");
}

Finding lost_host_finding(const Config& config) {
    return ok("lost_host", "Slurm notices a lost host after " + config.value("SlurmdTimeout") +
                               ", Ductile after --heartbeat-limit (5 s)");
}

Finding limit_finding(const Config& config, const SlurmAnswer& associations) {
    if (!config.lists("AccountingStorageEnforce", "limits"))
        return ok("limits", "this Slurm enforces no limits of accounts");
    if (!associations.worked)
        return {"limits", Verdict::warn, "sacctmgr does not show your limits: " + associations.text,
                "each added host is a job of its own; ask how many jobs you may have"};
    const auto names = parts_of(association_format, ',');
    std::vector<std::string> limits;
    for (const auto& line : parts_of(associations.text, '\n')) {
        const auto values = parts_of(line, '|');
        for (std::size_t i = 1; i < std::min(values.size(), names.size()); ++i)
            if (!values[i].empty())
                limits.push_back(fmt::format("{}={} (account {})", names[i], values[i], values[0]));
    }
    if (limits.empty()) return ok("limits", "no limit of your accounts bounds the number of jobs");
    const auto shown = std::min(limits.size(), most_limits_shown);
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + limits[i];
    if (limits.size() > shown) text += fmt::format(" and {} more", limits.size() - shown);
    return {
        "limits", Verdict::warn, text,
        "each added host is a job of its own; set --max so that the job stays below these limits"};
}

}  // namespace

bool may_still_start(std::string_view state) {
    if (state.starts_with("CONFIGURING")) return true;
    return state == "PENDING (None)" || state == "PENDING (Priority)" ||
           state == "PENDING (Resources)";
}

std::vector<Finding> slurm_findings(const SlurmSeen& seen) {
    std::vector<Finding> findings{version_finding(seen.version)};
    if (!seen.config.worked) {
        findings.push_back({"controller", Verdict::fail, seen.config.text,
                            "slurmctld does not answer; try again later, or ask an administrator"});
        return findings;
    }
    const Config config(seen.config.text);
    findings.push_back(ok("controller", "cluster " + config.value("ClusterName") + ", " +
                                            config.value("SelectType")));
    if (seen.trial) {
        findings.push_back(sidecar_finding(*seen.trial));
        if (seen.trial->granted_after_s) findings.push_back(step_finding(*seen.trial));
    }
    findings.push_back(delay_finding(config));
    findings.push_back(site_finding(seen.site));
    findings.push_back(limit_finding(config, seen.associations));
    findings.push_back(privacy_finding(config));
    findings.push_back(accounting_finding(config));
    findings.push_back(expansion_finding(config));
    findings.push_back(lost_host_finding(config));
    return findings;
}

}  // namespace ductile::cli
