// A program of a user. It uses only the installed headers and library of Ductile.
#include <mpi.h>

#include <cstdio>
#include <ductile/ductile.hpp>

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    auto values = job.distribute<double>("values", 10);
    if (job.resize_point() != ductile::Resized::unchanged) return 1;
    int version = 0;
    int subversion = 0;
    MPI_Get_version(&version, &subversion);
    std::printf("%lld values on %d rank with MPI %d.%d\n", static_cast<long long>(values.count()),
                job.size(), version, subversion);
    return values.count() == 10 && job.size() == 1 ? 0 : 1;
}
