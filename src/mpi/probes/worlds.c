/* Many worlds in the life of one process: the program connects with one newcomer after the other,
 * each through a port of its own, and measures its own memory. ROLE: program | newcomer. The third
 * argument of the program is the number of newcomers. That of a newcomer is its own number. */
#include "join.h"

static long resident_kib(void) {
    long pages = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
        fail("cannot read /proc/self/statm");
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Waits for newcomer NUMBER. Returns 0 if `doctor` has written `newcomer_gone.0`: then no more
 * newcomers come. */
static int has_come(int number) {
    char coming[PATH_MAX], no_more[PATH_MAX];
    file_name(coming, "coming", number);
    file_name(no_more, "newcomer_gone", 0);
    for (;; usleep(1000)) {
        if (access(coming, R_OK) == 0) return 1;
        if (access(no_more, R_OK) == 0) return 0;
    }
}

static void be_newcomer(int number) {
    write_file("coming", number, "");
    MPI_Comm bridge = connect_bridge(number);
    check(MPI_Comm_disconnect(&bridge), "MPI_Comm_disconnect");
}

static void take_in_all(int most) {
    const int settled = most / 4; /* the first worlds fill caches */
    int taken = 0;
    long before_kib = 0;
    while (taken < most && has_come(taken)) {
        MPI_Comm bridge = accept_bridge(taken);
        check(MPI_Comm_disconnect(&bridge), "MPI_Comm_disconnect");
        if (++taken == settled) before_kib = resident_kib();
    }
    fact("worlds", "%d", taken);
    if (taken < 2 * settled) return; /* too few to tell growth from chance */
    fact("kib_per_world", "%ld", (resident_kib() - before_kib) / (taken - settled));
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    const int is_program = has_role("program");
    const int number = argc > 3 ? atoi(argv[3]) : 1;
    if (is_program)
        take_in_all(number);
    else
        be_newcomer(number);
    finish();
    if (is_program) pass();
    return ended();
}
