// Communicators that are owned, and errors that come back instead of aborting.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/check.hpp"

namespace ductile::mpi {

/// Owns one communicator, intra or inter; frees it (MPI_Comm_free: a local matter in practice, and
/// the one call that is right for merged communicators on every MPI). Does nothing once MPI is
/// finalised. MPI's errors come back as codes on it (MPI_ERRORS_RETURN).
class Comm {
  public:
    Comm() = default;
    /// Takes ownership.
    static Comm adopt(MPI_Comm raw);
    Comm(Comm&& other) noexcept : raw_(other.release()) {}
    Comm& operator=(Comm&& other) noexcept;
    Comm(const Comm&) = delete;
    Comm& operator=(const Comm&) = delete;
    ~Comm() { reset(); }

    [[nodiscard]] MPI_Comm get() const { return raw_; }
    explicit operator bool() const { return raw_ != MPI_COMM_NULL; }
    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;

    /// Gives ownership up.
    MPI_Comm release() { return std::exchange(raw_, MPI_COMM_NULL); }
    void reset() noexcept;

    /// Collective over this communicator.
    [[nodiscard]] Comm duplicate() const;
    /// Collective; `color` MPI_UNDEFINED gives a null communicator.
    [[nodiscard]] Comm split(int color, int key) const;

  private:
    MPI_Comm raw_ = MPI_COMM_NULL;
};

/// Several threads may hold a communicator that a stuck helper must find alive.
using SharedComm = std::shared_ptr<Comm>;
inline SharedComm share(Comm comm) {
    return std::make_shared<Comm>(std::move(comm));
}

/// A duplicate of somebody else's communicator. Collective over it.
Comm duplicate(MPI_Comm other);
/// One of MPI_COMM_SELF, from any thread: threads whose collective calls meet on one communicator
/// have to take turns (MPI 4.1, section 11.6.2).
Comm duplicate_self();

/// Collective over `local`; leaders also name the bridge (rank of the other leader in it). Waits
/// for the other side.
Comm intercomm_create(const Comm& local, int local_leader, MPI_Comm bridge, int remote_leader,
                      int tag);
/// Collective over both sides; the side with `high` comes last. Waits for the other side.
Comm merge(const Comm& intercomm, bool high);
/// Collective over the members of `ranks` alone (ranks of `parent`, rising); nobody else takes
/// part.
Comm create_group(const Comm& parent, const std::vector<int>& ranks, int tag);

/// Errors on `to` are handled as on `from` from now on. Local.
void take_error_handler(MPI_Comm from, const Comm& to);

/// The number that MPICH and Intel MPI give a port among those of its process ("tag#7$..."); none
/// from an MPI that writes it otherwise.
std::optional<int> port_number(std::string_view port);
/// Opens a port. Never closed: MPICH hands the number of a closed port out again, and a dead
/// connector of the old port is then taken for the new one's. Its number is at least `least`, the
/// ports below being left unused: MPICH 4 and Intel MPI tell connections apart by this number
/// alone, so nobody may connect to a process that is about to connect to another's port of the same
/// number. Which numbers are free is not ours to count: MPI_Comm_spawn opens ports, and closes
/// them.
std::string open_port(int least);
/// Collective over `local`, waits for a connector; holds MPICH's lock until the first message has
/// passed.
Comm accept(const std::string& port, const Comm& local);
/// Collective over `local`, waits for an acceptor; holds MPICH's lock until the first message has
/// passed.
Comm connect(const std::string& port, const Comm& local);

}  // namespace ductile::mpi
