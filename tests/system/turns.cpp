// A program of known efficiency: in each iteration all ranks compute at the same time, then one
// after the other while all others wait. To compute is to sleep, so that the efficiency does not
// depend on the load of the machine: (p + s) / (p + n s) on n ranks.
//
// usage: turns P S: milliseconds that a rank computes beside the others, and alone. Ends when the
// file $STEADY_UNTIL is there.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ductile/ductile.hpp>
#include <iostream>
#include <thread>

namespace {

void compute(std::chrono::milliseconds time) {
    std::this_thread::sleep_for(time);
}

int receive(MPI_Comm comm, int from) {
    int word = 0;
    MPI_Recv(&word, 1, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE);
    return word;
}

void send(MPI_Comm comm, int word, int to) {
    MPI_Send(&word, 1, MPI_INT, to, 0, comm);
}

/// A word of rank 0 goes from rank to rank, and each computes when it has it. The last rank tells
/// all others when it has finished.
int take_turns(const ductile::Job& job, std::chrono::milliseconds alone, int word) {
    const int rank = job.rank(), last = job.size() - 1;
    if (rank > 0) word = receive(job.comm(), rank - 1);
    compute(alone);
    if (rank < last) {
        send(job.comm(), word, rank + 1);
        return receive(job.comm(), last);
    }
    for (int other = 0; other < last; ++other) send(job.comm(), word, other);
    return word;
}

}  // namespace

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const std::chrono::milliseconds together{std::atol(argv[1])}, alone{std::atol(argv[2])};
    const char* until = std::getenv("STEADY_UNTIL");
    for (bool ends = false; !ends;) {
        compute(together);
        const bool is_told = until != nullptr && ::access(until, F_OK) == 0;
        ends = take_turns(job, alone, is_told ? 1 : 0) == 1;
        if (job.resize_point() == ductile::Resized::leave) return EXIT_SUCCESS;
    }
    if (job.rank() == 0) std::cout << "end on " << job.size() << " ranks" << std::endl;
}
