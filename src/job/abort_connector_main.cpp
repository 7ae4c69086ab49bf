// The abort connector ends an accept to which nobody connects, of a leader or of a rank inside
// MPI_Comm_spawn: it connects to the port of this rank and sends "abandoned". It is a singleton in
// MPI. An agent starts it, and sends it a RunAbortConnector in a frame on standard input.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

#include "ductile/error.hpp"
#include "engine/bridge.hpp"
#include "os/signals.hpp"
#include "wire/agent_messages.hpp"
#include "wire/frame.hpp"

namespace {

ductile::wire::RunAbortConnector read_order() {
    ductile::wire::FrameReader reader;
    reader.add(std::string(std::istreambuf_iterator<char>(std::cin), {}));
    const auto frame = reader.next();
    if (!frame)
        throw ductile::InputError(
            "only an agent starts this program, and gives it its order on standard input");
    return std::get<ductile::wire::RunAbortConnector>(
        ductile::wire::decode<ductile::wire::ToAgent>(*frame));
}

}  // namespace

int main() {
    ductile::os::ignore_program_signals();
    try {
        const auto order = read_order();
        MPI_Init(nullptr, nullptr);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        std::puts("ready");  // for the agent, which cleans up if this process fails
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
