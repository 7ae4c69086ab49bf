// Owners of datatypes.
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

namespace ductile::mpi {

/// Owns one committed datatype. It may be freed while a message with it is under way (MPI 4.1,
/// section 5.1.9).
class Datatype {
  public:
    /// Several stretches of bytes. `begins`: the distance of each stretch from the start of the
    /// buffer, in bytes. `bytes`: its length. Both lists have the same length. Throws MpiError.
    static Datatype of_stretches(const std::vector<MPI_Aint>& begins,
                                 const std::vector<int>& bytes);
    Datatype(Datatype&& other) noexcept : raw_(std::exchange(other.raw_, MPI_DATATYPE_NULL)) {}
    Datatype& operator=(Datatype&&) = delete;
    Datatype(const Datatype&) = delete;
    Datatype& operator=(const Datatype&) = delete;
    ~Datatype();

    [[nodiscard]] MPI_Datatype get() const { return raw_; }

  private:
    explicit Datatype(MPI_Datatype raw) : raw_(raw) {}
    MPI_Datatype raw_;
};

}  // namespace ductile::mpi
