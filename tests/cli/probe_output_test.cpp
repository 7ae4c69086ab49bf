// Recorded output of probes, launchers and compilers.
#include "cli/doctor/probe_output.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace ductile::cli::probe_output_test {
namespace {

TEST(ProbeOutput, FactsAreReadFromAmongOtherLines) {
    const auto facts = facts_in(
        "Required minimum FI_VERSION: 20005, current version: 20005\n"
        "provider: tcp, score = 4, pref = 0, FI_SOCKADDR_IN [16] 192.0.2.2\n"
        "libfabric provider: tcp;ofi_rxm - 192.0.2.0/24\n"
        "fact library MPICH Version:      5.0.2\n"
        "fact library MPICH Device:       ch4:ucx ofi\n"
        "fact ranks 2\n"
        "fact\n"
        "fact empty\n"
        "pass\n");
    const std::map<std::string, std::string> expected = {
        {"library", "MPICH Version:      5.0.2\nMPICH Device:       ch4:ucx ofi"},
        {"ranks", "2"},
        {"netmod", "ofi"},
        {"provider", "tcp;ofi_rxm"}};
    EXPECT_EQ(facts, expected);
}

TEST(ProbeOutput, TheUcxNetworkModuleIsSeen) {
    EXPECT_EQ(
        facts_in("==== UCX netmod Capability ====\nMPIDI_UCX_CONTEXT_ID_BITS: 16\n").at("netmod"),
        "ucx");
    EXPECT_TRUE(facts_in("").empty());
}

struct Row {
    const char* name;
    const char* errors;
    const char* trouble;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.name;
}

class Trouble : public testing::TestWithParam<Row> {};

TEST_P(Trouble, IsOneLineThatSaysWhy) {
    EXPECT_EQ(trouble_in(GetParam().errors), GetParam().trouble);
}

INSTANTIATE_TEST_SUITE_P(
    ProbeOutput, Trouble,
    testing::Values(
        Row{"Debian's port",
            "probe: MPI_Open_port: Other MPI error, error stack:\n"
            "internal_Open_port(86).......: MPI_Open_port(MPI_INFO_NULL, port_name=0x7ffd303f7dd0) "
            "failed\n"
            "MPID_Open_port(238)..........: \n"
            "MPIDI_UCX_get_local_upids(31): The function is currently not supported with ucx "
            "netmod\n",
            "MPI_Open_port: The function is currently not supported with ucx netmod"},
        Row{"Debian's spawn",
            "probe: MPI_Comm_spawn: Other MPI error, error stack:\n"
            "internal_Comm_spawn(101)....: MPI_Comm_spawn(command=./spawn, argv=0x7fff83ae85e0, "
            "maxprocs=1) failed\n"
            "MPID_Comm_spawn_multiple(86): Error in spawn call\n\n"
            "===================================================================================\n",
            "MPI_Comm_spawn: Error in spawn call"},
        Row{"two ranks at once",
            "probe: MPI_Comm_spawn by two ranks at once: Other MPI error, error stack:\n"
            "MPID_Comm_spawn_multiple(86): Error in spawn call\n"
            "probe: MPI_Comm_spawn by two ranks at once: Other MPI error, error stack:\n"
            "MPID_Comm_spawn_multiple(86): another reason\n",
            "MPI_Comm_spawn by two ranks at once: Error in spawn call"},
        Row{"a fatal error",
            "Abort(271730575) on node 0 (rank 0 in comm 480): Fatal error in "
            "internal_Intercomm_create: Other MPI "
            "error, error stack:\n"
            "internal_Intercomm_create(135)....: MPI_Intercomm_create(comm=0x84000006) failed\n"
            "MPIDI_NM_progress(108)............: \n"
            "MPIDI_OFI_handle_cq_error(593)....: OFI poll failed (default nic=eth0: Input/output "
            "error)\n",
            "Abort(271730575) on node 0 (rank 0 in comm 480): OFI poll failed (default nic=eth0: "
            "Input/output error)"},
        Row{"Open MPI's banner before our line",
            "--------------------------------------------------------------------------\n"
            "Your application has invoked an MPI function that is not supported in\nthis "
            "environment.\n"
            "probe: MPI_Comm_connect: MPI_ERR_INTERN: internal error\n",
            "MPI_Comm_connect: MPI_ERR_INTERN: internal error"},
        Row{"a compiler",
            "In file included from thread_level.c:2:\n"
            "probe.h:12:10: fatal error: mpi.h: No such file or directory\n   12 | #include "
            "<mpi.h>\n",
            "probe.h:12:10: fatal error: mpi.h: No such file or directory"},
        Row{"a launcher's frame around nothing",
            "===================================================================================\n"
            "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n"
            "This typically refers to a problem with your application.\n"
            "Please see the FAQ page for debugging suggestions\n",
            ""},
        Row{"a shell", "mpicc: 3: exec: cc: not found\n", "mpicc: 3: exec: cc: not found"},
        Row{"nothing", "", ""}));

TEST(ProbeOutput, TroubleIsBounded) {
    EXPECT_EQ(trouble_in("probe: " + std::string(10'000, 'x')).size(), 303U);
}

}  // namespace
}  // namespace ductile::cli::probe_output_test
