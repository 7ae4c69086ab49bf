// The hosts on which the ranks of a communicator run, and how a result is printed.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace ductile::bench {

/// gethostname of each rank, in rank order; filled on rank 0. Collective.
inline std::vector<std::string> host_names(MPI_Comm comm) {
    constexpr int width = 65;
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    char mine[width] = {};
    gethostname(mine, sizeof(mine) - 1);
    std::vector<char> all(rank == 0 ? static_cast<std::size_t>(size * width) : 0);
    MPI_Gather(mine, width, MPI_CHAR, all.data(), width, MPI_CHAR, 0, comm);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < all.size(); i += width) names.emplace_back(&all[i]);
    return names;
}

/// Returns the largest of the ranks' values on rank 0. Collective.
inline double longest(double mine, MPI_Comm comm) {
    double most = 0;
    MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    return most;
}

/// One line of JSON.
inline void print_result(double total_s, double spawn_s, const std::vector<std::string>& hosts) {
    std::string names;
    for (const auto& host : hosts) names += (names.empty() ? "\"" : ",\"") + host + "\"";
    std::printf("{\"total_s\":%.9f,\"spawn_s\":%.9f,\"hosts\":[%s]}\n", total_s, spawn_s,
                names.c_str());
    std::fflush(stdout);
}

}  // namespace ductile::bench
