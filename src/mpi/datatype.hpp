// Datatypes that are owned.
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

namespace ductile::mpi {

/// Owns one committed datatype; it may be freed while a message of it is under way (MPI 4.1,
/// section 5.1.9).
class Datatype {
  public:
    /// Bytes at absolute addresses, one stretch after the other, for a buffer at MPI_BOTTOM. Both
    /// lists are as long. Throws MpiError.
    static Datatype of_bytes(const std::vector<const void*>& at, const std::vector<int>& bytes);
    /// The same at these distances from the buffer.
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
