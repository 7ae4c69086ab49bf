#include "data/redistribute_rma.hpp"

namespace ductile::data {

namespace {

void lock(const mpi::Window& window, const std::set<core::Rank>& sources) {
    for (const auto source : sources)
        mpi::check(
            MPI_Win_lock(MPI_LOCK_SHARED, source.value, nobody_locks_otherwise, window.get()),
            "MPI_Win_lock");
}

void unlock(const mpi::Window& window, const std::set<core::Rank>& sources) {
    for (const auto source : sources)
        mpi::check(MPI_Win_unlock(source.value, window.get()), "MPI_Win_unlock");
}

}  // namespace

std::unique_ptr<Mover> make_rma_lock_mover(MoverInputs inputs) {
    return make_rma_mover(std::move(inputs), {lock, unlock});
}

}  // namespace ductile::data
