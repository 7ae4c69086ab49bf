/* Many worlds in one life: the program takes in one launcher run after the other, each through a
 * port of its own, and watches its memory. ROLE: program | newcomer; the number of worlds is the
 * third argument. */
#include "join.h"

static long resident_kib(void) {
    long pages = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
        fail("cannot read /proc/self/statm");
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void take_in(int number) {
    MPI_Comm bridge = accept_bridge(number);
    check(MPI_Comm_disconnect(&bridge), "MPI_Comm_disconnect");
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    const int number = argc > 3 ? atoi(argv[3]) : 1;
    if (has_role("newcomer")) {
        MPI_Comm bridge = connect_bridge(number);
        check(MPI_Comm_disconnect(&bridge), "MPI_Comm_disconnect");
        MPI_Finalize();
        return 0;
    }
    const int settled = number / 4; /* the first worlds fill caches */
    long before = 0;
    for (int i = 0; i < number; ++i) {
        if (i == settled) before = resident_kib();
        take_in(i);
    }
    fact("worlds", "%d", number);
    fact("kib_per_world", "%ld", (resident_kib() - before) / (number - settled));
    MPI_Finalize();
    pass();
    return 0;
}
