// probe-ranks -n RANKS PROGRAM ARGUMENT...: `ductile doctor` runs its probes with this program
// under an MPI for which agents start the ranks of a job. Under other MPIs it uses mpiexec.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "cli/doctor/served_run.hpp"

int main(int argc, char** argv) {
    const int ranks = argc > 3 && std::string_view(argv[1]) == "-n" ? std::atoi(argv[2]) : 0;
    if (ranks < 1) {
        std::fprintf(stderr, "probe-ranks: use probe-ranks -n RANKS PROGRAM ARGUMENT...\n");
        return 2;
    }
    try {
        return ductile::cli::ServedRun().run(ranks, {argv + 3, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "probe: %s\n", error.what());
        return 1;
    }
}
