/* What the probes of `ductile doctor` share. A probe is a small C program of plain MPI. It prints
 * what it finds out as lines `fact KEY VALUE`, and `pass` at its end. If something fails, it prints
 * what failed and exits with 1. Its arguments are ROLE FOLDER, and sometimes a number. The runs of
 * one probe exchange files in FOLDER. */
#ifndef DUCTILE_PROBE_H
#define DUCTILE_PROBE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

static const char* probe_role = "";
static const char* probe_folder = ".";

static UNUSED double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((format(printf, 2, 3))) static UNUSED void fact(const char* key, const char* format,
                                                              ...) {
    va_list values;
    va_start(values, format);
    printf("fact %s ", key);
    vprintf(format, values);
    putchar('\n');
    va_end(values);
    fflush(stdout);
}

/* Removes the MPI's files in /dev/shm: they stay if a process ends without MPI_Finalize. */
static UNUSED void remove_shared_memory(void) {
    char line[PATH_MAX + 128];
    FILE* maps = fopen("/proc/self/maps", "r");
    if (!maps) return;
    while (fgets(line, sizeof line, maps)) {
        char* path = strstr(line, "/dev/shm/mpich_shm_");
        if (!path) path = strstr(line, "/dev/shm/Intel_MPI_");
        if (!path) continue;
        path[strcspn(path, "\n")] = 0;
        unlink(path);
    }
    fclose(maps);
}

/* Ends the probe. MPI_Finalize could wait for what has just failed. */
__attribute__((noreturn, format(printf, 1, 2))) static UNUSED void fail(const char* format, ...) {
    va_list values;
    va_start(values, format);
    fprintf(stderr, "probe: ");
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    fflush(stderr);
    remove_shared_memory();
    _exit(1);
}

/* Calls MPI_Finalize if the ranks of a job call it under this MPI (docs/mpi.md). */
static UNUSED void finish(void) {
    if (!getenv("PROBE_WITHOUT_FINALIZE")) MPI_Finalize();
}

/* What main() returns after finish(). Handlers of exit() that need MPI must not run without it. */
static UNUSED int ended(void) {
    if (getenv("PROBE_WITHOUT_FINALIZE")) _exit(0);
    return 0;
}

static UNUSED void check(int code, const char* call) {
    char text[16 * MPI_MAX_ERROR_STRING] = ""; /* MPICH 4.3.2 writes past its own limit */
    int length = 0;
    if (code == MPI_SUCCESS) return;
    MPI_Error_string(code, text, &length);
    fail("%s: %s", call, text);
}

/* FOLDER/NAME.NUMBER, in a buffer of the caller's. */
static UNUSED const char* file_name(char* buffer, const char* name, int number) {
    snprintf(buffer, PATH_MAX, "%s/%s.%d", probe_folder, name, number);
    return buffer;
}

/* The file appears with all of its text or not at all. */
static UNUSED void write_file(const char* name, int number, const char* text) {
    char final_name[PATH_MAX], fresh_name[PATH_MAX + 32];
    file_name(final_name, name, number);
    snprintf(fresh_name, sizeof fresh_name, "%s.%ld", final_name, (long)getpid());
    FILE* file = fopen(fresh_name, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0 || rename(fresh_name, final_name) != 0)
        fail("cannot write %s", final_name);
}

/* Also writes a file: if ranks end without MPI_Finalize, their launcher may die before it has
 * forwarded their last output. */
static UNUSED void pass(void) {
    write_file("passed", 0, "");
    puts("pass");
    fflush(stdout);
}

/* Sleeps until the file is there, outside MPI. `doctor` ends a probe that waits too long. */
static UNUSED void wait_for_file(const char* name, int number) {
    char buffer[PATH_MAX];
    file_name(buffer, name, number);
    while (access(buffer, R_OK) != 0) usleep(1000);
}

static UNUSED void read_file(const char* name, int number, char* text, int bytes) {
    char buffer[PATH_MAX];
    FILE* file = fopen(file_name(buffer, name, number), "r");
    if (!file || !fgets(text, bytes, file)) fail("cannot read %s", buffer);
    fclose(file);
}

static UNUSED void read_arguments(int argc, char** argv) {
    if (argc > 1) probe_role = argv[1];
    if (argc > 2) probe_folder = argv[2];
}

static UNUSED int has_role(const char* role) {
    return strcmp(probe_role, role) == 0;
}

/* Starts MPI with MPI_THREAD_MULTIPLE, and makes errors return codes. */
static UNUSED void begin(int* argc, char*** argv) {
    int level = MPI_THREAD_SINGLE;
    read_arguments(*argc, *argv);
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE) fail("MPI_Init_thread gives less than MPI_THREAD_MULTIPLE");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static UNUSED int rank_in(MPI_Comm comm) {
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    return rank;
}

/* Fails unless `ranks` ranks of the communicator answer. Collective over `comm`. */
static UNUSED void expect_ranks(MPI_Comm comm, int ranks, const char* what) {
    int one = 1, sum = 0;
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    if (sum != ranks) fail("%s has %d ranks, not %d", what, sum, ranks);
}

#endif
