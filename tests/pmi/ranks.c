/* Ranks for one_host_main.cpp: `ranks MODE`, MODE as below. Exit code 0 if all went as it should.
 * Spawned ranks check their arguments. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "this does not hold: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static int sum_of_ones(MPI_Comm comm) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

/* Tells the server that this rank leaves, and gives it 50 ms to read this. */
static void say_leave(int rank) {
    const char* fd = getenv("RANKS_NEWS_FD");
    char line[32];
    const int length = snprintf(line, sizeof line, "leave %d\n", rank);
    expect(fd && write(atoi(fd), line, (size_t)length) == length, "the server is told");
    usleep(50000);
}

/* The upper half of the world leaves by MPI_Finalize. The other ranks continue. */
static void leave(int rank, int size) {
    const int stays = rank < (size + 1) / 2;
    MPI_Comm rest;
    MPI_Comm_split(MPI_COMM_WORLD, stays ? 0 : MPI_UNDEFINED, rank, &rest);
    if (!stays) {
        say_leave(rank);
        return;
    }
    usleep(200000);
    for (int i = 0; i < 100; ++i) expect(sum_of_ones(rest) == (size + 1) / 2, "those who stay sum");
    MPI_Comm_free(&rest);
}

/* Two more ranks, by two commands. */
static void spawn(char* program, int size) {
    char *first[] = {"child", "an argument", "", "a=b", NULL}, *second[] = {"child", NULL};
    char* programs[] = {program, program};
    char** arguments[] = {first, second};
    int counts[] = {1, 1}, codes[2], merged;
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter, all;
    MPI_Comm_spawn_multiple(2, programs, arguments, counts, infos, 0, MPI_COMM_WORLD, &inter,
                            codes);
    MPI_Intercomm_merge(inter, 0, &all);
    MPI_Comm_size(all, &merged);
    expect(merged == size + 2 && sum_of_ones(all) == merged, "parents and children sum");
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&inter);
}

static void child(MPI_Comm parent, int argc, char** argv) {
    int rank, *appnum, found;
    MPI_Comm all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &found);
    expect(found && *appnum == rank, "MPI_APPNUM");
    expect(argc == (rank == 0 ? 5 : 2), "the number of arguments");
    if (rank == 0)
        expect(!strcmp(argv[2], "an argument") && !argv[3][0] && !strcmp(argv[4], "a=b"),
               "arguments");
    MPI_Intercomm_merge(parent, 1, &all);
    expect(sum_of_ones(all) > 2, "children and parents sum");
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parent);
}

/* Spawns a program that ends immediately, without MPI_Init. */
static void failing_spawn(void) {
    MPI_Comm inter;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int code = MPI_Comm_spawn("/bin/false", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0,
                                    MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    expect(code != MPI_SUCCESS, "the spawn fails");
}

static void names(int rank) {
    char port[MPI_MAX_PORT_NAME] = "";
    if (rank == 0) MPI_Publish_name("a service", MPI_INFO_NULL, "tag#0$a$port");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    expect(MPI_Lookup_name("a service", MPI_INFO_NULL, port) == MPI_SUCCESS,
           "the service is known");
    expect(!strcmp(port, "tag#0$a$port"), "the port comes back");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Unpublish_name("a service", MPI_INFO_NULL, "tag#0$a$port");
    MPI_Barrier(MPI_COMM_WORLD);
    expect(MPI_Lookup_name("a service", MPI_INFO_NULL, port) != MPI_SUCCESS, "the service is gone");
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    MPI_Barrier(MPI_COMM_WORLD);
    expect(sum_of_ones(MPI_COMM_WORLD) == size, "the world sums");
    const char* mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "version")) {
        char text[MPI_MAX_LIBRARY_VERSION_STRING];
        int length;
        MPI_Get_library_version(text, &length);
        printf("%s\n", text);
    }
    if (!strcmp(mode, "child")) child(parent, argc, argv);
    if (!strcmp(mode, "spawn")) spawn(argv[0], size);
    if (!strcmp(mode, "failing_spawn")) failing_spawn();
    if (!strcmp(mode, "names")) names(rank);
    if (!strcmp(mode, "leave")) leave(rank, size);
    MPI_Finalize();
    return 0;
}
