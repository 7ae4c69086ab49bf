#include "engine/mpi_spawn_steps.hpp"

#include <chrono>
#include <thread>

#include "engine/spawn_group.hpp"
#include "engine/spawn_tree.hpp"
#include "mpi/bounded_sends.hpp"

namespace ductile::engine {

namespace {

class MpiSpawnSteps final : public SpawnSteps {
  public:
    mpi::SharedComm start(const wire::SpawnGroup& order, const mpi::Comm* sources) override {
        return mpi::share(start_group(order, sources));
    }
    mpi::SharedComm bridge(const wire::SpawnGroup& order, const mpi::Comm& between,
                           const mpi::Comm* sources,
                           const std::function<bool()>& given_up) override {
        await_newcomers_hello(between, sources, {order.transaction, order.secret}, given_up);
        const int starters = sources == nullptr ? 1 : sources->size();
        return bridge_of_spawn(between, order.bridge, starters, false);
    }
    // If a message does not come, the broker must find out.
    void share_ports(const wire::SharePorts& order, const mpi::Comm& sources,
                     const std::vector<mpi::SharedComm>& children,
                     const std::function<bool()>& is_wanted) override {
        const WaitFor wait = [&](MPI_Request& request) {
            for (;;) {
                int done = 0;
                mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
                if (done != 0) return true;
                if (!is_wanted()) {
                    MPI_Request_free(&request);
                    return false;
                }
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        };
        const TreeExchange exchange{order.transaction, wait};
        const auto below = hear_children(children, exchange);
        if (!below) return;
        const auto all = share_among_sources(sources, order.peers, *below, exchange);
        const mpi::BoundedSends bounded;  // for sends to children that have died meanwhile
        if (all) tell_children(children, *all, exchange);
    }
};

}  // namespace

std::shared_ptr<SpawnSteps> spawn_over_mpi() {
    return std::make_shared<MpiSpawnSteps>();
}

}  // namespace ductile::engine
