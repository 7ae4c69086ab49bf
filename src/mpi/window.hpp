// Memory that other ranks can read.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <utility>

#include "mpi/comm.hpp"

namespace ductile::mpi {

/// Memory of each rank of a communicator, counted in bytes. Errors on the window return codes. The
/// destructor does not free the window, because free() waits for all ranks, and one of them may
/// have died. A window that is not freed lives until the process ends.
class Window {
  public:
    /// Collective over `comm`. Waits for all its ranks. A rank may have no memory (null, 0).
    static Window over(const Comm& comm, void* memory, std::int64_t bytes);
    Window(Window&& other) noexcept : raw_(std::exchange(other.raw_, MPI_WIN_NULL)) {}
    Window& operator=(Window&&) = delete;
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window() = default;

    [[nodiscard]] MPI_Win get() const { return raw_; }
    /// Collective. Waits for all ranks.
    void free();

  private:
    explicit Window(MPI_Win raw) : raw_(raw) {}
    MPI_Win raw_;
};

}  // namespace ductile::mpi
