// What is done when the program calls MPI_Finalize.
#pragma once

#include <functional>

namespace ductile::groups {

/// While it lives, `call` is made before the program's MPI_Finalize, which is the library's
/// (src/job/finalize.cpp). Not by an attribute of MPI_COMM_SELF: when MPICH deletes those it takes
/// no locks any more, and a helper may be inside.
class AtFinalize {
  public:
    explicit AtFinalize(std::function<void()> call);
    ~AtFinalize();
    AtFinalize(const AtFinalize&) = delete;
    AtFinalize& operator=(const AtFinalize&) = delete;

    /// Makes all calls.
    static void call_all() noexcept;

  private:
    std::function<void()> call_;
};

}  // namespace ductile::groups
