// The smallest malleable program. Each step changes an array and prints its sum. The sums are the
// same for any number of ranks.
//   ductile run --local=4 -- minimal input.txt       (the file has two numbers: elements, steps)
#include <ductile/ductile.hpp>
#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    long input[2] = {0, 0};  // elements, steps
    if (job.fresh()) {       // start-up communication: not in processes that are added later
        if (job.rank() == 0)
            std::ifstream(argc > 1 ? argv[1] : "input.txt") >> input[0] >> input[1];
        MPI_Bcast(input, 2, MPI_LONG, 0, job.comm());
    }
    long step = 0;
    auto input_ = job.replicate("input", input);
    auto step_ = job.replicate("step", step);
    auto u = job.distribute<double>("u", input[0]);
    if (job.fresh())
        for (long i = 0; i < u.count(); ++i) u[i] = double(u.offset() + i);

    while (step < input[1]) {
        for (double& x : u.local()) x = 0.5 * x + double(step);
        double mine = 0, sum = 0;
        for (double x : u.local()) mine += x;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, job.comm());
        ++step;  // before the resize point: an added process continues after it
        if (job.rank() == 0) std::cout << "step " << step << " sum " << sum << std::endl;
        if (job.resize_point() == ductile::Resized::leave) return 0;
    }
}
