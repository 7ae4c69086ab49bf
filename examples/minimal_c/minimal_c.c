/* examples/minimal in C. Each step changes an array and prints its sum. The sums are the same for
 * any number of ranks.
 *   ductile run --local=4 -- minimal_c input.txt    (the file has two numbers: elements, steps) */
#include <ductile/ductile.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int code) {
    if (code == DUCTILE_SUCCESS) return;
    fprintf(stderr, "minimal_c: %s\n", ductile_error());
    exit(1);
}

static void read_input(const char* path, long* input) {
    FILE* file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%ld %ld", &input[0], &input[1]) != 2) {
        fprintf(stderr, "minimal_c: cannot read the numbers of elements and steps from %s\n", path);
        exit(1);
    }
    fclose(file);
}

static double advance(const ductile_array* array, long step) {
    double* u = ductile_array_data(array);
    double sum = 0;
    for (int64_t i = 0; i < ductile_array_count(array); ++i) {
        u[i] = 0.5 * u[i] + (double)step;
        sum += u[i];
    }
    return sum;
}

int main(int argc, char** argv) {
    ductile_job* job = NULL;
    ductile_array* u = NULL;
    ductile_shape shape = {.value_bytes = sizeof(double), .type = "double"};
    long input[2] = {0, 0}, step = 0; /* elements, steps */
    int answer = DUCTILE_UNCHANGED;

    check(ductile_job_create(&argc, &argv, NULL, &job));
    if (ductile_job_fresh(
            job)) { /* start-up communication: not in processes that are added later */
        if (ductile_job_rank(job) == 0) read_input(argc > 1 ? argv[1] : "input.txt", input);
        MPI_Bcast(input, 2, MPI_LONG, 0, ductile_job_comm(job));
    }
    check(ductile_job_replicate(job, "input", input, sizeof input, NULL));
    check(ductile_job_replicate(job, "step", &step, sizeof step, NULL));
    shape.elements = input[0];
    check(ductile_job_distribute(job, "u", &shape, NULL, &u));
    if (ductile_job_fresh(job)) {
        double* values = ductile_array_data(u);
        for (int64_t i = 0; i < ductile_array_count(u); ++i)
            values[i] = (double)(ductile_array_offset(u) + i);
    }

    while (step < input[1] && answer != DUCTILE_LEAVE) {
        double mine = advance(u, step), sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, ductile_job_comm(job));
        ++step; /* before the resize point: an added process continues after it */
        if (ductile_job_rank(job) == 0) printf("step %ld sum %g\n", step, sum);
        fflush(stdout);
        check(ductile_job_resize_point(job, &answer));
    }
    check(ductile_array_free(&u));
    check(ductile_job_free(&job));
    return 0;
}
