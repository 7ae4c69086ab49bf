// Owners of communicators. Errors on them return codes instead of aborting.
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

/// Owns one intra- or intercommunicator. Frees it by MPI_Comm_free, which is local in practice, and
/// not by MPI_Comm_disconnect, which fails for merged communicators on some MPIs. Does nothing
/// once MPI is finalised. Errors on the communicator return codes (MPI_ERRORS_RETURN).
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

/// A communicator that several threads hold. So it stays alive for a helper thread that is stuck.
using SharedComm = std::shared_ptr<Comm>;
inline SharedComm share(Comm comm) {
    return std::make_shared<Comm>(std::move(comm));
}

/// A duplicate of a communicator that others own. Collective over it.
Comm duplicate(MPI_Comm other);
/// A duplicate of MPI_COMM_SELF. Any thread may call it: inside, threads take turns, because their
/// collective calls on one communicator must not overlap (MPI 4.1, section 11.6.2).
Comm duplicate_self();

/// Collective over `local`. Leaders also give the bridge and the rank of the other leader in it.
/// Waits for the other side.
Comm intercomm_create(const Comm& local, int local_leader, MPI_Comm bridge, int remote_leader,
                      int tag);
/// Collective over both sides. The side with `high` comes last. Waits for the other side.
Comm merge(const Comm& intercomm, bool high);
/// A communicator of `ranks` (ranks of `parent`), in this order. Collective over these ranks only.
Comm create_group(const Comm& parent, const std::vector<int>& ranks, int tag);

/// Gives `to` the error handler of `from`. Local.
void take_error_handler(MPI_Comm from, const Comm& to);

/// The number of a port within its process, as MPICH and Intel MPI write it ("tag#7$..."). None if
/// the MPI uses another format.
std::optional<int> port_number(std::string_view port);
/// Opens ports until the number of one is at least `least`. None is ever closed: MPICH reuses the
/// number of a closed port, and takes a dead connector of the old port for one of the new port. The
/// ports with lower numbers stay unused. MPICH 4 and Intel MPI tell connections apart only by this
/// number. So while a process connects to port N of another process, nobody may connect to port N
/// of the first process. Ductile cannot count which numbers are free, because MPI_Comm_spawn opens
/// and closes ports, too.
std::string open_port(int least);
/// Collective over `local`. Waits for a connector. Until the connector's first message has arrived,
/// no other thread of this process can use MPICH (it holds its lock).
Comm accept(const std::string& port, const Comm& local);
/// Collective over `local`. Waits for an acceptor. Until the acceptor's first message has arrived,
/// no other thread of this process can use MPICH (it holds its lock).
Comm connect(const std::string& port, const Comm& local);

}  // namespace ductile::mpi
