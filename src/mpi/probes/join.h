/* How Ductile joins a group to a program: the two leaders connect by a port, each on MPI_COMM_SELF.
 * Over this connection, the bridge, MPI_Intercomm_create joins all other ranks. */
#ifndef DUCTILE_PROBE_JOIN_H
#define DUCTILE_PROBE_JOIN_H

#include "probe.h"

enum side { program_side = 0, newcomer_side = 1 };

/* Program's leader: opens a port and writes its name to the file port.NUMBER. Accepts one newcomer
 * when the newcomer is about to connect (accept stops the whole process until the other side is
 * there). The program's leader has rank 0 in the bridge. */
static UNUSED MPI_Comm accept_bridge(int number) {
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm connection, bridge;
    check(MPI_Open_port(MPI_INFO_NULL, port), "MPI_Open_port");
    write_file("port", number, port);
    wait_for_file("connecting", number);
    check(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection), "MPI_Comm_accept");
    check(MPI_Intercomm_merge(connection, program_side, &bridge), "MPI_Intercomm_merge");
    check(MPI_Comm_free(&connection), "MPI_Comm_free");
    expect_ranks(bridge, 2, "the bridge");
    return bridge;
}

/* Newcomers' leader: connects to the port in the file port.NUMBER. It has rank 1 in the bridge. */
static UNUSED MPI_Comm connect_bridge(int number) {
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm connection, bridge;
    wait_for_file("port", number);
    read_file("port", number, port, sizeof port);
    write_file("connecting", number, "");
    check(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection), "MPI_Comm_connect");
    check(MPI_Intercomm_merge(connection, newcomer_side, &bridge), "MPI_Intercomm_merge");
    check(MPI_Comm_free(&connection), "MPI_Comm_free");
    expect_ranks(bridge, 2, "the bridge");
    return bridge;
}

/* Program's leader: whether the newcomers' leader says within `limit_s` seconds that it enters
 * MPI_Intercomm_create. If that leader is dead, only this receive stays without an answer. In
 * MPI_Intercomm_create MPICH would abort the program, whatever the error handlers are. */
static UNUSED int newcomers_enter(MPI_Comm bridge, double limit_s) {
    static int word; /* outlives a receive that is given up */
    MPI_Request request;
    int done = 0;
    if (MPI_Irecv(&word, 1, MPI_INT, 1, 6, bridge, &request) != MPI_SUCCESS) return 0;
    for (const double end = now_s() + limit_s; !done && now_s() < end; usleep(500))
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 0;
    return done;
}

/* Joins both sides' `own` communicators over the bridge of their ranks 0 (other ranks ignore
 * `bridge`). The program's ranks come first. Collective over both sides. Returns the first code
 * that is not MPI_SUCCESS. If the newcomers do not come within `limit_s` seconds, returns
 * MPI_ERR_OTHER on the program's side. */
static UNUSED int join_over(MPI_Comm bridge, MPI_Comm own, enum side side, double limit_s,
                            MPI_Comm* joined) {
    const int is_leader = rank_in(own) == 0;
    MPI_Comm both;
    int enter = 1;
    int code;
    if (is_leader && side == newcomer_side) {
        code = MPI_Send(&enter, 1, MPI_INT, 0, 6, bridge);
        if (code != MPI_SUCCESS) return code;
    }
    if (side == program_side) {
        if (is_leader) enter = newcomers_enter(bridge, limit_s);
        code = MPI_Bcast(&enter, 1, MPI_INT, 0, own);
        if (code != MPI_SUCCESS) return code;
        if (!enter) return MPI_ERR_OTHER;
    }
    code = MPI_Intercomm_create(own, 0, bridge, side == program_side ? 1 : 0, 5, &both);
    if (code != MPI_SUCCESS) return code;
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    code = MPI_Intercomm_merge(both, side == newcomer_side, joined);
    if (code != MPI_SUCCESS) return code;
    MPI_Comm_set_errhandler(*joined, MPI_ERRORS_RETURN);
    return MPI_Comm_free(&both);
}

#endif
