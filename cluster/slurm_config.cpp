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

std::string slurm_file(std::string_view name) {
    return fmt::format("{}/{}", slurm_home, name);
}
std::string munge_socket() {
    return slurm_file("munge/socket");
}
std::string munge_key() {
    return slurm_file("munge/key");
}
std::string mariadb_socket() {
    return slurm_file("sql/socket");
}

std::string slurm_output(std::string_view daemon, int host) {
    if (host == head) return slurm_file(fmt::format("log/{}.out", daemon));
    return slurm_file(fmt::format("log/{}.{}.out", daemon, host_name(host)));
}

std::string slurm_conf(const ClusterSpec& cluster) {
    std::string text = fmt::format(
        "ClusterName=ductile\n"
        "SlurmctldHost={head}({address})\n"
        "SlurmUser=root\n"
        "SlurmdUser=root\n"
        "AuthType=auth/munge\n"
        "AuthInfo=socket={socket}\n"
        "CredType=cred/munge\n"
        "StateSaveLocation={home}/state\n"
        "SlurmdSpoolDir={home}/spool/%n\n"
        "SlurmctldPidFile={home}/state/slurmctld.pid\n"
        "SlurmdPidFile={home}/spool/%n/slurmd.pid\n"
        "SlurmctldLogFile={home}/log/slurmctld.log\n"
        "SlurmdLogFile={home}/log/slurmd.%n.log\n",
        fmt::arg("head", host_name(head)), fmt::arg("address", host_address(head)),
        fmt::arg("socket", munge_socket()), fmt::arg("home", slurm_home));
    const SlurmSpec slurm = cluster.slurm.value_or(SlurmSpec{});
    if (has_accounting(slurm))
        text += fmt::format("AccountingStorageHost={}\nAccountingStoragePass={}\n", host_name(head),
                            munge_socket());
    for (const auto& [name, value] : effective(slurm)) text += fmt::format("{}={}\n", name, value);
    std::string names;
    for (int host = 1; host <= cluster.hosts; ++host) {
        text += fmt::format("NodeName={} NodeAddr={} CPUs={} RealMemory=1000\n", host_name(host),
                            host_address(host), cluster.cores);
        names += (host == 1 ? "" : ",") + host_name(host);
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

std::string slurmdbd_conf() {
    return fmt::format(
        "DbdHost={}\n"
        "SlurmUser=root\n"
        "AuthType=auth/munge\n"
        "AuthInfo=socket={}\n"
        "PidFile={}/state/slurmdbd.pid\n"
        "LogFile={}/log/slurmdbd.log\n"
        "StorageType=accounting_storage/mysql\n"
        "StorageHost=localhost\n"
        "StorageUser=root\n"
        "StorageLoc=slurm_acct_db\n",
        host_name(head), munge_socket(), slurm_home, slurm_home);
}

std::string mariadb_conf() {
    // MariaDB uses no network and checks no users: only root can enter the folder of the socket.
    // The data is in memory and is gone when the cluster ends, so it needs no protection from a
    // crash.
    return fmt::format(
        "[mariadbd]\n"
        "user=root\n"
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
        fmt::arg("home", slurm_home), fmt::arg("socket", mariadb_socket()));
}

}  // namespace ductile::cluster
