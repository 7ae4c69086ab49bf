#include "rms/command_environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ductile::rms::command_environment_test {
namespace {

TEST(CommandEnvironment, DropsWhatWouldMisleadALauncher) {
    const Environment inside_a_rank = {
        {"PMI_RANK", "3"},           {"PMI_FD", "7"},
        {"PMIX_NAMESPACE", "x"},     {"HYDRA_LAUNCHER", "ssh"},
        {"HYDI_CONTROL_FD", "5"},    {"MPIEXEC_HOSTNAME", "a"},
        {"SLURM_JOBID", "7"},        {"SLURMD_NODENAME", "n1"},
        {"SLURM_MEM_PER_NODE", "1"}, {"SLURM_ARRAY_TASK_ID", "3"},
        {"SRUN_DEBUG", "3"},         {"I_MPI_PMI_LIBRARY", "/usr/lib/libpmi.so"},
        {"MPI_LOCALNRANKS", "2"},    {"OMPI_COMM_WORLD_RANK", "0"}};
    EXPECT_EQ(without_launcher_variables(inside_a_rank), Environment{});
}

// What a job script of Slurm sets, and what its steps set.
TEST(CommandEnvironment, RanksGetTheVariablesOfSlurmThatStayTrue) {
    const Environment for_ranks = {{"SLURM_JOB_ID", "7"},         {"SLURM_JOBID", "7"},
                                   {"SLURM_ARRAY_TASK_ID", "3"},  {"SLURM_CPUS_PER_TASK", "2"},
                                   {"SLURM_TMPDIR", "/tmp/7"},    {"SLURM_JOB_NAME", "heat"},
                                   {"SLURM_SUBMIT_DIR", "/home"}, {"SLURM_CONF", "/etc/conf"},
                                   {"SLURM_MEM_PER_CPU", "9"},    {"SLURM_RESTART_COUNT", "1"}};
    auto all = for_ranks;
    for (const auto* name : {"SLURM_PROCID",
                             "SLURM_JOB_GPUS",
                             "SLURM_CPUS_ON_NODE",
                             "SLURM_IMMEDIATE",
                             "SLURM_LOCALID",
                             "SLURM_NODEID",
                             "SLURM_GTIDS",
                             "SLURM_STEP_ID",
                             "SLURM_STEPID",
                             "SLURM_STEP_NODELIST",
                             "SLURM_NTASKS",
                             "SLURM_NTASKS_PER_NODE",
                             "SLURM_NPROCS",
                             "SLURM_NNODES",
                             "SLURM_NODELIST",
                             "SLURM_JOB_NODELIST",
                             "SLURM_JOB_NODELIST_HET_GROUP_0",
                             "SLURM_TASKS_PER_NODE",
                             "SLURM_SRUN_COMM_PORT",
                             "SRUN_DEBUG",
                             "SLURMD_NODENAME",
                             "SLURM_HINT",
                             "SLURM_CLUSTERS",
                             "SLURM_HOSTFILE",
                             "SALLOC_NO_KILL",
                             "SLURM_EXPORT_ENV",
                             "SLURM_MEM_PER_NODE",
                             "SLURM_GRES",
                             "SLURM_GPUS",
                             "SLURM_GPUS_PER_NODE",
                             "SLURM_THREADS_PER_CORE",
                             "SLURM_CONSTRAINT",
                             "SLURM_EXCLUSIVE",
                             "SLURM_HET_SIZE",
                             "SLURM_WORKING_CLUSTER",
                             "SLURM_PMIX_MAPPING_SERV",
                             "PMI_RANK",
                             "I_MPI_PMI_LIBRARY"})
        all.emplace(name, "x");
    EXPECT_EQ(without_misleading_variables(all), for_ranks);
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
