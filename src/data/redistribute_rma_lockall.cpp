#include "data/redistribute_rma.hpp"

namespace ductile::data {

namespace {

void lock_all(const mpi::Window& window, const std::set<core::Rank>&) {
    mpi::check(MPI_Win_lock_all(nobody_locks_otherwise, window.get()), "MPI_Win_lock_all");
}

void unlock_all(const mpi::Window& window, const std::set<core::Rank>&) {
    mpi::check(MPI_Win_unlock_all(window.get()), "MPI_Win_unlock_all");
}

}  // namespace

std::unique_ptr<Mover> make_rma_lockall_mover(MoverInputs inputs) {
    return make_rma_mover(std::move(inputs), {lock_all, unlock_all});
}

}  // namespace ductile::data
