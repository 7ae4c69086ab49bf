#include "rms/slurm_config.hpp"

#include <gtest/gtest.h>

namespace ductile::rms::slurm_config_test {
namespace {

TEST(SlurmConfig, IsRead) {
    const SlurmConfig config(
        "Configuration data as of 2026-11-28T08:00:00\n"
        "AccountingStorageType   = (null)\n"
        "PrologFlags             = Alloc,Contain\n"
        "SlurmdTimeout           = 300 sec\n"
        "\nSlurmctld(primary) at head is UP\n");
    EXPECT_EQ(config.value("SlurmdTimeout"), "300 sec");
    EXPECT_EQ(config.value("AccountingStorageType"), "");
    EXPECT_EQ(config.value("missing"), "");
    EXPECT_TRUE(config.lists("PrologFlags", "contain"));
    EXPECT_FALSE(config.lists("PrologFlags", "con"));
    EXPECT_FALSE(config.has_accounting());
}

TEST(SlurmConfig, ListsArePartsWithoutBlanks) {
    EXPECT_EQ(parts_of(" a ,b,, c", ','), (std::vector<std::string>{"a", "b", "", "c"}));
    EXPECT_TRUE(parts_of("", ',').empty());
}

TEST(SlurmConfig, ItIsSaidWhyJobsCannotBeMerged) {
    const auto why = [](const std::string& flags, const std::string& parameters,
                        const std::string& store) {
        return why_no_merge(SlurmConfig("PrologFlags = " + flags + "\nSchedulerParameters = " +
                                        parameters + "\nAccountingStorageType = " + store));
    };
    const std::string permit = "bf_interval=5,permit_job_expansion";
    const std::string store = "accounting_storage/slurmdbd";
    EXPECT_EQ(why("Serial", permit, store), std::nullopt);
    EXPECT_EQ(why("Alloc,Contain", permit, store), "PrologFlags=Contain");
    EXPECT_EQ(why("Alloc", permit, store), "PrologFlags=Alloc");
    EXPECT_EQ(why("(null)", "(null)", store), "no permit_job_expansion");
    EXPECT_EQ(why("(null)", permit, "accounting_storage/none"), "no accounting");
}

}  // namespace
}  // namespace ductile::rms::slurm_config_test
