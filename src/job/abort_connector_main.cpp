// The abort connector: a singleton that connects to a port on which a leader accepts in vain, and
// says "abandoned". An agent starts it, with a RunAbortConnector as a frame on standard input.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

#include "ductile/error.hpp"
#include "engine/bridge.hpp"
#include "wire/agent_messages.hpp"
#include "wire/frame.hpp"

namespace {

ductile::wire::RunAbortConnector read_order() {
    ductile::wire::FrameReader reader;
    reader.add(std::string(std::istreambuf_iterator<char>(std::cin), {}));
    const auto frame = reader.next();
    if (!frame) throw ductile::InputError("started by an agent, with its order on standard input");
    return std::get<ductile::wire::RunAbortConnector>(
        ductile::wire::decode<ductile::wire::ToAgent>(*frame));
}

}  // namespace

int main() {
    try {
        const auto order = read_order();
        MPI_Init(nullptr, nullptr);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        std::puts("ready");  // for the agent, which clears up when this does not end well
        std::fflush(stdout);
        {
            const auto self = ductile::mpi::duplicate_self();
            const auto connection = ductile::mpi::connect(order.port, self);
            ductile::engine::send_abandoned(connection, {order.transaction, order.secret});
        }
        MPI_Finalize();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "abort-connector: %s\n", error.what());
        return 1;
    }
}
