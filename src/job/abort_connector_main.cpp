// The abort connector: a singleton that connects to a port on which a leader accepts in vain, and
// says "abandoned". usage: abort-connector PORT, with {"transaction": N, "secret": "..."} as one
// line on standard input.
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/bridge.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr,
                     "usage: abort-connector PORT < {\"transaction\": N, \"secret\": TEXT}\n");
        return 2;
    }
    try {
        std::string line;
        std::getline(std::cin, line);
        const auto hello = nlohmann::json::parse(line);
        MPI_Init(nullptr, nullptr);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        std::puts("ready");  // for the agent, which clears up when this does not end well
        std::fflush(stdout);
        {
            const auto self = ductile::mpi::duplicate_self();
            const auto connection = ductile::mpi::connect(argv[1], self);
            ductile::engine::send_abandoned(
                connection, {ductile::core::TransactionId{hello.at("transaction").get<int>()},
                             hello.at("secret")});
        }
        MPI_Finalize();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "abort-connector: %s\n", error.what());
        return 1;
    }
}
