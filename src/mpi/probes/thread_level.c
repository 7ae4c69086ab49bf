/* The plainest run: two ranks in one world, with MPI_THREAD_MULTIPLE. Prints which library it runs
 * on. */
#include "probe.h"

static const char* level_name(int level) {
    switch (level) {
        case MPI_THREAD_SINGLE:
            return "single";
        case MPI_THREAD_FUNNELED:
            return "funneled";
        case MPI_THREAD_SERIALIZED:
            return "serialized";
        case MPI_THREAD_MULTIPLE:
            return "multiple";
        default:
            return "unknown";
    }
}

static void tell_library(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    for (char* line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        fact("library", "%s", line);
}

int main(int argc, char** argv) {
    int level = MPI_THREAD_SINGLE;
    int size = 0;
    read_arguments(argc, argv);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rank = rank_in(MPI_COMM_WORLD);
    if (rank == 0) {
        tell_library();
        fact("thread_level", "%s", level_name(level));
        fact("ranks", "%d", size);
    }
    expect_ranks(MPI_COMM_WORLD, 2, "MPI_COMM_WORLD");
    MPI_Finalize();
    if (rank == 0) pass();
    return 0;
}
