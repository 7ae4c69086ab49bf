// Recorded texts of real installations, each with what must be known from it.
#include "mpi/capabilities.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace ductile::mpi::capabilities_test {
namespace {

std::string hydra_text(const std::string& version, const std::string& options) {
    return "HYDRA build details:\n"
           "    Version:                                 " +
           version +
           "\n"
           "    Release Date:                            Fri Sep 25 20:45:26 UTC 2026\n"
           "    CC:                              cc\n"
           "    Configure options:                       " +
           options +
           "\n"
           "    Process Manager:                         pmi\n"
           "    Launchers available:                     ssh rsh fork slurm ll lsf sge manual "
           "persist\n";
}

constexpr const char* library_5_0_2 =
    "MPICH Version:      5.0.2\n"
    "MPICH Release date: Fri Sep 25 20:45:26 UTC 2026\n"
    "MPICH ABI:          18:2:6\n"
    "MPICH Device:       ch4:ucx ofi\n"
    "MPICH configure:    --with-device=ch4:ucx,ofi --with-pm=hydra:gforker\n"
    "MPICH features:     threadcomm\n"
    "MPICH Custom Information:\thttps://pypi.org/p/mpich/5.0.2/\n";

constexpr const char* debian_library_4_0_2 =
    "MPICH Version:    \t4.0.2\n"
    "MPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n"
    "MPICH Device:    \tch4:ucx\n"
    "MPICH configure: \t--build=x86_64-linux-gnu --prefix=/usr --with-libfabric=/usr "
    "--with-slurm=/usr "
    "--with-ucx=/usr --with-device=ch4:ucx --with-pm=hydra BASH_SHELL=/bin/bash\n";

const std::string debian_hydra_4_0_2 = hydra_text(
    "4.0.2", "'--with-hwloc-prefix=/usr' '--with-device=ch4:ucx' 'FFLAGS=-O2' '--prefix=/usr'");

constexpr const char* intel_launcher =
    "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)\n"
    "Copyright 2003-2026, Intel Corporation.\n";
constexpr const char* open_mpi_4_launcher =
    "mpiexec (OpenRTE) 4.1.8\n\nReport bugs to http://www.open-mpi.org/community/help/\n";
constexpr const char* open_mpi_4_library =
    "Open MPI v4.1.8, package: Open MPI user@localhost Distribution, ident: 4.1.8, repo rev: "
    "v4.1.8, Feb 04, 2025";
constexpr const char* open_mpi_5_launcher =
    "mpiexec (Open MPI) 5.0.11\n\nReport bugs to https://www.open-mpi.org/community/help/\n";

struct Row {
    std::string name;
    std::string text;
    std::string implementation, version, device;
    bool spawn, open_port, connect, strangers, survives, refused;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.name;
}

class Recorded : public testing::TestWithParam<Row> {};

TEST_P(Recorded, IsKnown) {
    const Row& row = GetParam();
    const Capabilities can = known_capabilities(row.text);
    EXPECT_EQ(can.implementation, row.implementation);
    EXPECT_EQ(can.version, row.version);
    EXPECT_EQ(can.device, row.device);
    EXPECT_EQ(can.spawn, row.spawn);
    EXPECT_EQ(can.open_port, row.open_port);
    EXPECT_EQ(can.independent_connect, row.connect);
    EXPECT_EQ(can.introduces_strangers, row.strangers);
    EXPECT_EQ(can.survives_newcomer_death, row.survives);
    EXPECT_EQ(!can.refused.empty(), row.refused) << can.refused;
    EXPECT_EQ(can.can_launch_groups(), !row.refused && row.connect && row.strangers);
}

const std::string wheel = "--with-device=ch4:ucx,ofi --with-pm=hydra:gforker";
const std::string old_wheel = "--with-device=ch4:ofi,ucx --with-pm=hydra:gforker";

INSTANTIATE_TEST_SUITE_P(
    Capabilities, Recorded,
    testing::ValuesIn(std::vector<Row>{
        // name, text, implementation, version, device, spawn, port, connect, strangers, survives,
        // refused
        {"hydra 5.0.2", hydra_text("5.0.2", wheel), "MPICH", "5.0.2", "ch4:ucx ofi", true, true,
         true, true, true, false},
        {"libmpi 5.0.2", library_5_0_2, "MPICH", "5.0.2", "ch4:ucx ofi", true, true, true, true,
         true, false},
        {"hydra 4.3.2", hydra_text("4.3.2", wheel), "MPICH", "4.3.2", "ch4:ucx ofi", true, true,
         true, true, true, false},
        {"hydra 4.2.3", hydra_text("4.2.3", old_wheel), "MPICH", "4.2.3", "ch4:ofi ucx", true, true,
         true, true, true, true},
        {"hydra 4.1.3", hydra_text("4.1.3", old_wheel), "MPICH", "4.1.3", "ch4:ofi ucx", true, true,
         true, true, true, false},
        {"hydra 4.0.3", hydra_text("4.0.3", old_wheel), "MPICH", "4.0.3", "ch4:ofi ucx", true, true,
         true, true, false, false},
        {"hydra 3.4.3", hydra_text("3.4.3", old_wheel), "MPICH", "3.4.3", "ch4:ofi ucx", false,
         false, false, false, false, true},
        {"ch3", hydra_text("4.0.2", "--with-device=ch3:nemesis --disable-romio"), "MPICH", "4.0.2",
         "ch3:nemesis", true, true, true, false, false, true},
        {"Debian's hydra", debian_hydra_4_0_2, "MPICH", "4.0.2", "ch4:ucx", false, false, false,
         false, false, true},
        {"Debian's libmpich", debian_library_4_0_2, "MPICH", "4.0.2", "ch4:ucx", false, false,
         false, false, false, true},
        {"ucx alone 4.3", hydra_text("4.3.2", "--with-device=ch4:ucx"), "MPICH", "4.3.2", "ch4:ucx",
         true, false, false, false, false, true},
        {"Intel", intel_launcher, "Intel MPI", "2021.18.1", "", true, true, true, true, false,
         false},
        {"Open MPI 4.1 launcher", open_mpi_4_launcher, "Open MPI", "4.1.8", "", true, true, false,
         true, false, false},
        {"Open MPI 4.1 library", open_mpi_4_library, "Open MPI", "4.1.8", "", true, true, false,
         true, false, false},
        {"Open MPI 5.0", open_mpi_5_launcher, "Open MPI", "5.0.11", "", false, false, false, false,
         false, true},
        {"another MPI", "MVAPICH2 Version: 2.3.7\n", "unknown", "", "", false, false, false, false,
         false, true},
        {"no text", "", "unknown", "", "", false, false, false, false, false, true},
        {"a version alone", "mpiexec 5.0.2", "unknown", "", "", false, false, false, false, false,
         true},
        {"cut short", "HYDRA build details:\n    Version:", "MPICH", "", "", false, false, false,
         false, false, true},
    }));

TEST(Capabilities, LocksBetweenWorlds) {
    for (const auto* version : {"4.3.2", "5.0.2"})
        EXPECT_TRUE(known_capabilities(hydra_text(version, wheel)).locks_between_worlds);
    EXPECT_FALSE(known_capabilities(hydra_text("4.1.3", old_wheel)).locks_between_worlds);
    for (const auto* text : {intel_launcher, open_mpi_4_launcher})
        EXPECT_FALSE(known_capabilities(text).locks_between_worlds);
}

TEST(Capabilities, LimitsOfMpich5) {
    const auto five = known_capabilities(library_5_0_2);
    EXPECT_EQ(five.max_worlds_in_life, 1023);
    EXPECT_EQ(five.max_worlds_in_communicator, 100);
    EXPECT_EQ(five.max_ports, 2048);
    const auto four = known_capabilities(hydra_text("4.3.2", wheel));
    EXPECT_EQ(four.max_worlds_in_life, 0);
    EXPECT_EQ(four.max_worlds_in_communicator, 0);
    EXPECT_EQ(four.max_ports, 2048);
}

TEST(Capabilities, SelectTheNetworkModuleThatOpensPorts) {
    using Environment = std::map<std::string, std::string>;
    EXPECT_EQ(known_capabilities(library_5_0_2).environment,
              (Environment{{"MPICH_CH4_NETMOD", "ofi"}, {"UCX_MEM_MMAP_HOOK_MODE", "none"}}));
    EXPECT_EQ(known_capabilities(hydra_text("4.0.2", "--with-device=ch3:nemesis")).environment,
              Environment{});
    EXPECT_EQ(known_capabilities(debian_library_4_0_2).environment, Environment{});
    EXPECT_EQ(known_capabilities(intel_launcher).environment,
              (Environment{{"I_MPI_SPAWN", "on"}, {"I_MPI_FABRICS", "ofi"}, {"I_MPI_PIN", "off"}}));
    EXPECT_EQ(known_capabilities(intel_launcher).prefix_environment,
              (Environment{{"FI_PROVIDER_PATH", "lib"}, {"I_MPI_ROOT", ""}}));
}

TEST(Capabilities, RanksThatShareCoresYield) {
    const auto yields = [](const char* text) {
        return known_capabilities(text).shared_cores_environment;
    };
    using Environment = std::map<std::string, std::string>;
    EXPECT_EQ(yields(library_5_0_2), (Environment{{"MPIR_CVAR_ENABLE_HEAVY_YIELD", "1"}}));
    EXPECT_EQ(yields(intel_launcher), (Environment{{"I_MPI_THREAD_YIELD", "3"}}));
    EXPECT_EQ(yields(open_mpi_4_library), Environment{}) << "its ranks do not sleep";
    EXPECT_EQ(yields("an MPI that nobody knows"), Environment{});
}

TEST(Capabilities, OnlyAnMpiThatTheAgentsCannotStartHasLauncherWords) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(known_capabilities(library_5_0_2).launcher, LauncherWords{});
    EXPECT_EQ(known_capabilities(intel_launcher).launcher, LauncherWords{});
    const auto open_mpi = known_capabilities(open_mpi_4_library);
    EXPECT_EQ(open_mpi.launcher.one_host, (Words{"--host", "localhost:{ranks}", "-n", "{ranks}"}));
    EXPECT_EQ(open_mpi.launcher.several_hosts, (Words{"--host", "{hosts}", "-n", "{ranks}"}));
    EXPECT_EQ(open_mpi.spawn_hosts, SpawnHosts::by_entry);
    EXPECT_TRUE(open_mpi.keeps_daemons);
    EXPECT_TRUE(open_mpi.spawn_hides_other_worlds);
    EXPECT_FALSE(open_mpi.finalises);
    EXPECT_FALSE(open_mpi.parallel_spawn);
}

TEST(Capabilities, InAJobTheAgentsStartRanksThatSpeakPmi1) {
    const auto mpich = in_a_job(known_capabilities(library_5_0_2));
    EXPECT_EQ(mpich, started_by_agents(known_capabilities(library_5_0_2)));
    EXPECT_TRUE(mpich.agents_start_ranks);
    EXPECT_TRUE(in_a_job(known_capabilities(intel_launcher)).agents_start_ranks);
    EXPECT_EQ(in_a_job(known_capabilities(open_mpi_4_library)),
              known_capabilities(open_mpi_4_library));
}

TEST(Capabilities, ARefusalSaysWhyAndWhatToInstall) {
    EXPECT_EQ(known_capabilities(debian_hydra_4_0_2).refused,
              "it has only the device ch4:ucx, which cannot spawn; "
              "install MPICH 5.0.2 (pip install mpich==5.0.2, or ./scripts/setup)");
    for (const auto& text :
         {hydra_text("4.2.3", wheel), std::string(open_mpi_5_launcher), std::string("unheard of")})
        EXPECT_NE(known_capabilities(text).refused.find("pip install mpich==5.0.2"),
                  std::string::npos)
            << text;
}

TEST(Capabilities, OnlyWhatProbesCanSeeIsRefusedUntilProbed) {
    EXPECT_TRUE(known_capabilities(open_mpi_5_launcher).refused_until_probed);
    EXPECT_TRUE(known_capabilities("unheard of").refused_until_probed);
    EXPECT_FALSE(known_capabilities(hydra_text("4.2.3", wheel)).refused_until_probed);
    EXPECT_FALSE(known_capabilities(debian_hydra_4_0_2).refused_until_probed);
}

}  // namespace
}  // namespace ductile::mpi::capabilities_test
