#include "cluster/slurm_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

struct Setting {
    std::string name, value;
};

char small_letter(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Slurm ignores the case of letters in names.
bool is_same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return small_letter(x) == small_letter(y); });
}

/// Settings that describe the cluster itself. With other values the daemons could fail to find each
/// other, or write outside the cluster's own files.
constexpr std::array<std::string_view, 26> fixed_names{"ClusterName",
                                                       "SlurmctldHost",
                                                       "SlurmctldPort",
                                                       "SlurmdPort",
                                                       "SlurmUser",
                                                       "SlurmdUser",
                                                       "AuthType",
                                                       "AuthInfo",
                                                       "CredType",
                                                       "StateSaveLocation",
                                                       "SlurmdSpoolDir",
                                                       "SlurmctldPidFile",
                                                       "SlurmdPidFile",
                                                       "SlurmctldLogFile",
                                                       "SlurmdLogFile",
                                                       "SlurmSchedLogFile",
                                                       "SlurmctldAddr",
                                                       "AccountingStorageHost",
                                                       "AccountingStoragePort",
                                                       "AccountingStoragePass",
                                                       "NodeName",
                                                       "NodeSet",
                                                       "DownNodes",
                                                       "FrontendName",
                                                       "PartitionName",
                                                       "Include"};

Setting parse(const std::string& text) {
    const auto equals = text.find('=');
    Setting setting{text.substr(0, equals),
                    equals == std::string::npos ? std::string{} : text.substr(equals + 1)};
    const auto is_letter = [](char c) { return small_letter(c) >= 'a' && small_letter(c) <= 'z'; };
    const auto is_plain = [](char c) { return c > ' ' && c <= '~' && c != '#' && c != '\\'; };
    if (setting.name.empty() || setting.value.empty() || text.size() > 1000 ||
        !std::all_of(setting.name.begin(), setting.name.end(), is_letter) ||
        !std::all_of(setting.value.begin(), setting.value.end(), is_plain))
        throw InputError(fmt::format(
            "\"{}\" is no setting of slurm.conf; write NAME=VALUE without spaces, as in "
            "SelectType=select/linear",
            text.substr(0, 80)));
    for (const auto fixed : fixed_names)
        if (is_same_name(setting.name, fixed))
            throw InputError(fmt::format(
                "{} cannot be set: like all settings of hosts, users and files, it belongs to the "
                "cluster itself",
                setting.name));
    return setting;
}

/// The default settings: scheduling as on a usual site, and what virtual hosts need.
std::vector<Setting> defaults() {
    return {
        {"SchedulerType", "sched/backfill"},
        {"PriorityType", "priority/multifactor"},
        {"PriorityWeightAge", "1000"},
        {"SelectType", "select/cons_tres"},
        {"SelectTypeParameters", "CR_Core"},
        {"PrologFlags", "Alloc,Contain"},
        {"AccountingStorageType", "accounting_storage/slurmdbd"},
        {"JobAcctGatherType", "jobacct_gather/none"},
        {"ProctrackType", "proctrack/linuxproc"},
        {"TaskPlugin", "task/none"},
        {"SwitchType", "switch/none"},
        {"MpiDefault", "none"},
        {"SlurmdParameters", "config_overrides"},
        {"ReturnToService", "2"},
        {"SlurmdTimeout", "30"},
        {"MailProg", "/bin/true"},
    };
}

/// The default settings and the user's settings. A setting of the user replaces an earlier setting
/// with the same name.
std::vector<Setting> effective(const SlurmSpec& slurm) {
    auto settings = defaults();
    for (const auto& text : slurm.settings) {
        auto given = parse(text);
        const auto same = std::find_if(
            settings.begin(), settings.end(),
            [&given](const Setting& known) { return is_same_name(known.name, given.name); });
        if (same == settings.end())
            settings.push_back(std::move(given));
        else
            same->value = std::move(given.value);
    }
    // Only cons_res and cons_tres know CR_Core. select/linear does not start with it.
    const auto value_of = [&settings](std::string_view name) -> std::string& {
        return std::find_if(settings.begin(), settings.end(),
                            [name](const Setting& s) { return is_same_name(s.name, name); })
            ->value;
    };
    if (value_of("SelectType") == "select/linear" && value_of("SelectTypeParameters") == "CR_Core")
        std::erase_if(settings, [](const Setting& s) { return s.name == "SelectTypeParameters"; });
    return settings;
}

}  // namespace

void validate(const SlurmSpec& slurm) {
    for (const auto& setting : slurm.settings) parse(setting);
}

bool has_accounting(const SlurmSpec& slurm) {
    const auto settings = effective(slurm);
    return std::any_of(settings.begin(), settings.end(), [](const Setting& setting) {
        return is_same_name(setting.name, "AccountingStorageType") &&
               setting.value == "accounting_storage/slurmdbd";
    });
}

std::string SlurmSite::file(std::string_view name) const {
    return fmt::format("{}/{}", home, name);
}
std::string SlurmSite::munge_socket() const {
    return munge_home + "/socket";
}
std::string SlurmSite::munge_key() const {
    return munge_home + "/key";
}
std::string SlurmSite::mariadb_socket() const {
    return file("sql/socket");
}

SlurmSite site_of(const ClusterSpec& cluster) {
    SlurmSite site{.home = std::string(slurm_home),
                   .munge_home = slurm_file("munge"),
                   .user = "root",
                   .controller = host_name(head),
                   .controller_address = host_address(head),
                   .nodes = {},
                   .slurm = cluster.slurm.value_or(SlurmSpec{})};
    for (int host = 1; host <= cluster.hosts; ++host)
        site.nodes.push_back(
            {.name = host_name(host), .address = host_address(host), .cpus = cluster.cores});
    return site;
}

std::string slurm_file(std::string_view name) {
    return fmt::format("{}/{}", slurm_home, name);
}
std::vector<SlurmFile> slurm_files(const SlurmSite& site, const std::string& key) {
    std::vector<SlurmFile> files{{site.munge_key(), 0600, key},
                                 {site.file("slurm.conf"), 0644, slurm_conf(site)},
                                 {site.file("cgroup.conf"), 0644, cgroup_conf()}};
    if (has_accounting(site.slurm)) {
        files.push_back({site.file("slurmdbd.conf"), 0600, slurmdbd_conf(site)});
        files.push_back({site.file("mariadb.conf"), 0600, mariadb_conf(site)});
    }
    return files;
}

SlurmDaemon munged(const SlurmSite& site) {
    return {.name = "munged",
            .argv = {"munged", "--foreground", "--force", "--socket=" + site.munge_socket(),
                     "--key-file=" + site.munge_key(), "--pid-file=" + site.munge_home + "/pid",
                     "--seed-file=" + site.munge_home + "/seed"},
            .ready_socket = site.munge_socket()};
}

SlurmDaemon slurmd(const std::string& node) {
    return {.name = "slurmd", .argv = {"slurmd", "-D", "-N", node}};
}

std::vector<SlurmStage> controller_stages(const SlurmSite& site) {
    std::vector<SlurmStage> stages{{munged(site)}};
    if (has_accounting(site.slurm)) {
        stages[0].push_back({.name = "mariadbd",
                             .argv = {"mariadbd", "--defaults-file=" + site.file("mariadb.conf")},
                             .ready_socket = site.mariadb_socket()});
        stages.push_back(
            {{.name = "slurmdbd", .argv = {"slurmdbd", "-D"}, .ready_port = site.slurmdbd_port}});
    }
    stages.push_back(
        {{.name = "slurmctld", .argv = {"slurmctld", "-D"}, .ready_port = site.slurmctld_port}});
    return stages;
}

std::string slurm_output(std::string_view daemon, int host) {
    if (host == head) return slurm_file(fmt::format("log/{}.out", daemon));
    return slurm_file(fmt::format("log/{}.{}.out", daemon, host_name(host)));
}

std::string slurm_conf(const SlurmSite& site) {
    std::string text = fmt::format(
        "ClusterName=ductile\n"
        "SlurmctldHost={controller}({address})\n"
        "SlurmctldPort={port}\n"
        "SlurmUser={user}\n"
        "SlurmdUser={user}\n"
        "AuthType=auth/munge\n"
        "AuthInfo=socket={socket}\n"
        "CredType=cred/munge\n"
        "StateSaveLocation={home}/state\n"
        "SlurmdSpoolDir={home}/spool/%n\n"
        "SlurmctldPidFile={home}/state/slurmctld.pid\n"
        "SlurmdPidFile={home}/spool/%n/slurmd.pid\n"
        "SlurmctldLogFile={home}/log/slurmctld.log\n"
        "SlurmdLogFile={home}/log/slurmd.%n.log\n",
        fmt::arg("controller", site.controller), fmt::arg("address", site.controller_address),
        fmt::arg("port", site.slurmctld_port), fmt::arg("user", site.user),
        fmt::arg("socket", site.munge_socket()), fmt::arg("home", site.home));
    if (has_accounting(site.slurm))
        text += fmt::format(
            "AccountingStorageHost={}\nAccountingStoragePort={}\nAccountingStoragePass={}\n",
            site.controller, site.slurmdbd_port, site.munge_socket());
    for (const auto& [name, value] : effective(site.slurm))
        text += fmt::format("{}={}\n", name, value);
    std::string names;
    for (const auto& node : site.nodes) {
        text += fmt::format("NodeName={} NodeAddr={} Port={} CPUs={} RealMemory={}\n", node.name,
                            node.address, node.slurmd_port, node.cpus, node.memory_mib);
        names += (names.empty() ? "" : ",") + node.name;
    }
    return text + fmt::format(
                      "PartitionName=main Nodes={} Default=YES State=UP MaxTime=INFINITE "
                      "DefaultTime=60\n",
                      names);
}

std::string cgroup_conf() {
    // slurmd opens its cgroup plugin even if nothing uses cgroups.
    return "CgroupPlugin=cgroup/v1\nCgroupAutomount=yes\n";
}

std::string slurmdbd_conf(const SlurmSite& site) {
    return fmt::format(
        "DbdHost={host}\n"
        "DbdAddr={address}\n"
        "DbdPort={port}\n"
        "SlurmUser={user}\n"
        "AuthType=auth/munge\n"
        "AuthInfo=socket={socket}\n"
        "PidFile={home}/state/slurmdbd.pid\n"
        "LogFile={home}/log/slurmdbd.log\n"
        "StorageType=accounting_storage/mysql\n"
        "StorageHost=localhost\n"
        "StorageUser=root\n"
        "StorageLoc=slurm_acct_db\n",
        fmt::arg("host", site.controller), fmt::arg("address", site.controller_address),
        fmt::arg("port", site.slurmdbd_port), fmt::arg("user", site.user),
        fmt::arg("socket", site.munge_socket()), fmt::arg("home", site.home));
}

std::string mariadb_conf(const SlurmSite& site) {
    // MariaDB uses no network and checks no users: only the user of the daemons can enter the
    // folder of the socket. The data is gone when Slurm ends, so it needs no protection from a
    // crash.
    return fmt::format(
        "[mariadbd]\n"
        "user={user}\n"
        "datadir={home}/data\n"
        "tmpdir={home}/data\n"
        "socket={socket}\n"
        "pid-file={home}/sql/pid\n"
        "skip-networking\n"
        "skip-grant-tables\n"
        "skip-log-bin\n"
        "innodb-log-file-size=4M\n"
        "innodb-buffer-pool-size=16M\n"
        "innodb-flush-log-at-trx-commit=0\n"
        "innodb-doublewrite=0\n"
        "innodb-use-native-aio=0\n",
        fmt::arg("user", site.user), fmt::arg("home", site.home),
        fmt::arg("socket", site.mariadb_socket()));
}

}  // namespace ductile::cluster
