/* MPI_Comm_spawn starts groups, which join as with `ductile run --start collective`. Two ranks
 * together start two more. A bridge of the leaders is made, without a port. Over this bridge,
 * MPI_Intercomm_create joins the groups' own communicators. Then the new ranks leave. All this is
 * done several times: with some MPIs it works only once. */
#include "join.h"

enum { members = 2, started = 2, times = 3 };

/* Makes the leaders' bridge over the intercommunicator of a spawn. Returns null on a rank that is
 * not a leader. Collective over both sides. */
static MPI_Comm bridge_of(MPI_Comm both, int is_child) {
    MPI_Comm all, bridge = MPI_COMM_NULL;
    MPI_Group everybody, leaders;
    const int ranks[] = {0, members};
    check(MPI_Intercomm_merge(both, is_child, &all), "MPI_Intercomm_merge");
    expect_ranks(all, members + started, "members and started ones");
    if (rank_in(all) == ranks[is_child]) {
        check(MPI_Comm_group(all, &everybody), "MPI_Comm_group");
        check(MPI_Group_incl(everybody, 2, ranks, &leaders), "MPI_Group_incl");
        check(MPI_Comm_create_group(all, leaders, 7, &bridge), "MPI_Comm_create_group");
        MPI_Group_free(&everybody);
        MPI_Group_free(&leaders);
    }
    check(MPI_Comm_free(&all), "MPI_Comm_free");
    return bridge;
}

static void join_and_part(MPI_Comm both, int is_child) {
    MPI_Comm bridge, own, joined;
    check(MPI_Comm_dup(MPI_COMM_WORLD, &own), "MPI_Comm_dup");
    bridge = bridge_of(both, is_child);
    check(MPI_Comm_free(&both), "MPI_Comm_free");
    check(join_over(bridge, own, is_child ? newcomer_side : program_side, 10.0, &joined),
          "MPI_Intercomm_create");
    expect_ranks(joined, members + started, "the joined communicator");
    check(MPI_Comm_free(&joined), "MPI_Comm_free");
    if (bridge != MPI_COMM_NULL) check(MPI_Comm_free(&bridge), "MPI_Comm_free");
    check(MPI_Comm_free(&own), "MPI_Comm_free");
}

int main(int argc, char** argv) {
    MPI_Comm parent, both;
    begin(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    const int is_child = parent != MPI_COMM_NULL;
    if (is_child) join_and_part(parent, 1);
    for (int i = 0; !is_child && i < times; ++i) {
        char* arguments[] = {(char*)"child", NULL};
        check(MPI_Comm_spawn(argv[0], arguments, started, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both,
                             MPI_ERRCODES_IGNORE),
              "MPI_Comm_spawn");
        join_and_part(both, 0);
    }
    const int is_leader = !is_child && rank_in(MPI_COMM_WORLD) == 0;
    finish();
    if (is_leader) pass();
    return ended();
}
