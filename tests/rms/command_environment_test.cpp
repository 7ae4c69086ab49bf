#include "rms/command_environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ductile::rms::command_environment_test {
namespace {

TEST(CommandEnvironment, DropsWhatWouldMisleadALauncher) {
    const Environment inside_a_rank = {{"PMI_RANK", "3"},
                                       {"PMI_FD", "7"},
                                       {"PMIX_NAMESPACE", "x"},
                                       {"HYDRA_LAUNCHER", "ssh"},
                                       {"HYDI_CONTROL_FD", "5"},
                                       {"MPIEXEC_HOSTNAME", "a"},
                                       {"SLURM_JOBID", "7"},
                                       {"SLURMD_NODENAME", "n1"},
                                       {"SLURM_MEM_PER_NODE", "1"},
                                       {"MPI_LOCALNRANKS", "2"},
                                       {"OMPI_COMM_WORLD_RANK", "0"}};
    EXPECT_EQ(without_launcher_variables(inside_a_rank), Environment{});
}

TEST(CommandEnvironment, KeepsEverythingElse) {
    const Environment of_a_user = {
        {"PATH", "/bin"},         {"HOME", "/home/a"},         {"SLURM_CONF", "/etc/slurm.conf"},
        {"MPICH_CH4_NETMOD", ""}, {"I_MPI_ROOT", "/opt/impi"}, {"OMPI_MCA_btl", "self"},
        {"PMIRROR", "1"},         {"MY_HYDRA_", "1"}};
    EXPECT_EQ(without_launcher_variables(of_a_user), of_a_user);
}

TEST(CommandEnvironment, ReadsThisProcess) {
    setenv("DUCTILE_TEST_VALUE", "a=b", 1);
    setenv("DUCTILE_TEST_EMPTY", "", 1);
    const Environment now = current_environment();
    EXPECT_EQ(now.at("DUCTILE_TEST_VALUE"), "a=b");
    EXPECT_EQ(now.at("DUCTILE_TEST_EMPTY"), "");
}

}  // namespace
}  // namespace ductile::rms::command_environment_test
