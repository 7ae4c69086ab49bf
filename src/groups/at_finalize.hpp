// Calls that are made when the program calls MPI_Finalize.
#pragma once

#include <functional>

namespace ductile::groups {

/// While this object lives, the library calls `call` at the start of the program's MPI_Finalize,
/// which the library wraps (src/job/finalize.cpp). An attribute of MPI_COMM_SELF would not do: when
/// MPICH deletes these attributes, MPICH takes no locks any more, but a helper thread can still be
/// inside MPI.
class AtFinalize {
  public:
    explicit AtFinalize(std::function<void()> call);
    ~AtFinalize();
    AtFinalize(const AtFinalize&) = delete;
    AtFinalize& operator=(const AtFinalize&) = delete;

    /// Calls the functions of all living objects.
    static void call_all() noexcept;

  private:
    std::function<void()> call_;
};

}  // namespace ductile::groups
