#include "cluster/slurm_config.hpp"

#include <gtest/gtest.h>

#include "cluster/slurm_probe.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster::slurm_config_test {
namespace {

ClusterSpec cluster(std::vector<std::string> settings = {}) {
    ClusterSpec spec{"default", 2, 4};
    spec.slurm = SlurmSpec{{}, std::move(settings)};
    return spec;
}

bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(SlurmConf, DescribesTheHostsAndOnePartition) {
    const std::string text = slurm_conf(site_of(cluster()));
    const char* partition =
        "PartitionName=main Nodes=node01,node02 Default=YES State=UP MaxTime=INFINITE "
        "DefaultTime=60";
    for (const char* line :
         {"ClusterName=ductile", "SlurmctldHost=head(10.66.0.254)",
          "AuthInfo=socket=/etc/slurm/munge/socket", "SlurmdSpoolDir=/etc/slurm/spool/%n",
          "NodeName=node01 NodeAddr=10.66.0.1 Port=6818 CPUs=4 RealMemory=1000",
          "NodeName=node02 NodeAddr=10.66.0.2 Port=6818 CPUs=4 RealMemory=1000", partition})
        EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
}

TEST(SlurmConf, SchedulesAsASiteDoes) {
    const std::string text = slurm_conf(site_of(cluster()));
    for (const char* line :
         {"SchedulerType=sched/backfill", "PriorityType=priority/multifactor",
          "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core",
          "PrologFlags=Alloc,Contain", "AccountingStorageType=accounting_storage/slurmdbd",
          "AccountingStorageHost=head", "AccountingStoragePass=/etc/slurm/munge/socket"})
        EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
}

TEST(SlurmConf, TakesSettingsInPlaceOfItsOwnAndAfterThem) {
    struct Case {
        std::vector<std::string> settings;
        std::string line;
        std::string replaced;
    };
    const Case cases[] = {
        {{"SlurmdTimeout=60"}, "SlurmdTimeout=60", "SlurmdTimeout=30"},
        {{"slurmdtimeout=60"}, "SlurmdTimeout=60", "SlurmdTimeout=30"},
        {{"SlurmdTimeout=60", "SlurmdTimeout=90"}, "SlurmdTimeout=90", "SlurmdTimeout=60"},
        {{"PrologFlags=Alloc"}, "PrologFlags=Alloc", "PrologFlags=Alloc,Contain"},
        {{"MinJobAge=5"}, "MinJobAge=5", ""},
        {{"SchedulerParameters=bf_interval=2,permit_job_expansion"},
         "SchedulerParameters=bf_interval=2,permit_job_expansion",
         ""},
        {{"SelectType=select/linear"}, "SelectType=select/linear", "SelectTypeParameters=CR_Core"},
    };
    for (const auto& c : cases) {
        const std::string text = slurm_conf(site_of(cluster(c.settings)));
        EXPECT_TRUE(has_line(text, c.line)) << c.line << "\n" << text;
        EXPECT_TRUE(c.replaced.empty() || !has_line(text, c.replaced)) << c.replaced;
    }
}

TEST(SlurmConf, NamesNoSlurmdbdWithoutAccounting) {
    const auto without = cluster({"AccountingStorageType=accounting_storage/none"});
    EXPECT_TRUE(has_accounting(*cluster().slurm));
    EXPECT_FALSE(has_accounting(*without.slurm));
    EXPECT_EQ(slurm_conf(site_of(without)).find("AccountingStorageHost"), std::string::npos);
}

TEST(SlurmSettings, AreRefusedUnlessTheyAreOneLineThatIsNotTheClustersOwn) {
    struct Case {
        const char* setting;
        bool is_good;
    };
    const Case cases[] = {
        {"SelectType=select/linear", true},
        {"SchedulerParameters=a=1,b=2", true},
        {"SelectType", false},
        {"=x", false},
        {"SelectType=", false},
        {"", false},
        {"A=b\nNodeName=node09", false},
        {"A=b c", false},
        {"A=b#c", false},
        {"A=b\\", false},
        {"A B=c", false},
        {"NodeName=node09", false},
        {"nodename=node09", false},
        {"SlurmUser=nobody", false},
        {"Include=/etc/passwd", false},
        {"SlurmctldPort=1", false},
    };
    for (const auto& c : cases) {
        const SlurmSpec slurm{{}, {c.setting}};
        if (c.is_good)
            EXPECT_NO_THROW(validate(slurm)) << c.setting;
        else
            EXPECT_THROW(validate(slurm), InputError) << c.setting;
    }
}

TEST(SlurmFiles, LieInTheClustersOwnPlace) {
    const std::string home{slurm_home};
    EXPECT_EQ(slurm_output("slurmctld", head), home + "/log/slurmctld.out");
    EXPECT_EQ(slurm_output("slurmd", 3), home + "/log/slurmd.node03.out");
    const auto site = site_of(cluster());
    EXPECT_TRUE(has_line(mariadb_conf(site), "socket=" + home + "/sql/socket"));
    EXPECT_TRUE(has_line(mariadb_conf(site), "skip-networking"));
    EXPECT_TRUE(has_line(slurmdbd_conf(site), "AuthInfo=socket=" + home + "/munge/socket"));
    EXPECT_TRUE(has_line(cgroup_conf(), "CgroupPlugin=cgroup/v1"));
}

TEST(SlurmConf, DescribesASlurmOfAPlainUserInItsOwnPlace) {
    SlurmSite site{.home = "/tmp/n",
                   .munge_home = "/dev/shm/n",
                   .user = "ann",
                   .controller = "a",
                   .controller_address = "a",
                   .slurmctld_port = 4001,
                   .slurmdbd_port = 4002,
                   .nodes = {{"a", "a", 4, 5001}, {"b", "b.site", 8, 5002}}};
    const auto text = slurm_conf(site);
    for (const char* line :
         {"SlurmctldHost=a(a)", "SlurmctldPort=4001", "SlurmUser=ann", "SlurmdUser=ann",
          "AuthInfo=socket=/dev/shm/n/socket", "SlurmdSpoolDir=/tmp/n/spool/%n",
          "AccountingStoragePort=4002", "NodeName=a NodeAddr=a Port=5001 CPUs=4 RealMemory=1000",
          "NodeName=b NodeAddr=b.site Port=5002 CPUs=8 RealMemory=1000"})
        EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
    EXPECT_TRUE(has_line(slurmdbd_conf(site), "DbdPort=4002"));
    EXPECT_TRUE(has_line(mariadb_conf(site), "user=ann"));
}

TEST(SlurmDaemons, StartInStages) {
    const auto names = [](const SlurmSite& site) {
        std::string text;
        for (const auto& stage : controller_stages(site)) {
            for (const auto& daemon : stage) text += daemon.name + " ";
            text += "| ";
        }
        return text;
    };
    EXPECT_EQ(names(site_of(cluster())), "munged mariadbd | slurmdbd | slurmctld | ");
    EXPECT_EQ(names(site_of(cluster({"AccountingStorageType=accounting_storage/none"}))),
              "munged | slurmctld | ");
}

TEST(Sinfo, SaysWhetherAllHostsAreIdle) {
    struct Case {
        const char* text;
        bool are_idle;
    };
    const Case cases[] = {
        {"3 idle\n", true},
        {"3 idle", true},
        {"2 idle\n", false},
        {"2 idle\n1 unknown\n", false},
        {"3 idle*\n", false},
        {"3 unknown\n", false},
        {"13 idle\n", false},
        {"idle\n", false},
        {"slurm_load_partitions: Unable to contact slurm controller\n", false},
        {"", false},
    };
    for (const auto& c : cases) EXPECT_EQ(are_all_idle(c.text, 3), c.are_idle) << c.text;
}

TEST(LogOfADaemon, IsQuotedByItsLastSixLines) {
    EXPECT_EQ(last_lines(""), "");
    EXPECT_EQ(last_lines("\n\n"), "");
    EXPECT_EQ(last_lines("one\n"), "one");
    EXPECT_EQ(last_lines("1\n2\n3\n4\n5\n6\n"), "1\n2\n3\n4\n5\n6");
    EXPECT_EQ(last_lines("0\n1\n2\n3\n4\n5\n6"), "1\n2\n3\n4\n5\n6");
}

}  // namespace
}  // namespace ductile::cluster::slurm_config_test
