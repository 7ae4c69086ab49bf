/* A C program of a user. It uses only the installed headers and library of Ductile. */
#include <ductile/ductile.h>
#include <stdio.h>

int main(int argc, char** argv) {
    const ductile_shape shape = {.elements = 10, .value_bytes = sizeof(double), .type = "double"};
    ductile_job* job = NULL;
    ductile_array* values = NULL;
    int answer = -1, right = 0;
    if (ductile_job_create(&argc, &argv, NULL, &job) != DUCTILE_SUCCESS ||
        ductile_job_distribute(job, "values", &shape, NULL, &values) != DUCTILE_SUCCESS ||
        ductile_job_resize_point(job, &answer) != DUCTILE_SUCCESS) {
        fprintf(stderr, "%s\n", ductile_error());
        return 1;
    }
    right = answer == DUCTILE_UNCHANGED && ductile_array_count(values) == 10 &&
            ductile_job_size(job) == 1;
    printf("%d values on %d rank\n", (int)ductile_array_count(values), ductile_job_size(job));
    ductile_array_free(&values);
    ductile_job_free(&job);
    return right ? 0 : 1;
}
