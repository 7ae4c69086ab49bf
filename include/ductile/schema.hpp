/// \file
/// Functions that a process calls for a job, also before it is a member of the job.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ductile/array_memory.hpp"

namespace ductile {

/// A rank's place in a job.
struct Place {
    int rank = 0;  ///< its rank
    int size = 1;  ///< the number of ranks
};

/// The processes that take part in a resize. Sources hold the data before the resize, targets hold
/// the data after it.
struct DataMove {
    /// A communicator: all sources, in the order of their old ranks, and then all processes that
    /// are new or come back, in the order of their new ranks. Use it for the messages of the
    /// callback, and not after the call.
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;              ///< this process in `comm`
    std::vector<int> sources;  ///< sources[r]: the rank in `comm` of the old rank r
    std::vector<int> targets;  ///< targets[r]: the rank in `comm` of the new rank r
    int rank_before = -1;      ///< the old rank of this process; -1: it is new, or comes back
    int rank_after = -1;       ///< the new rank of this process; -1: it leaves, or parks
};

/// Functions of the program that Ductile calls at a resize, also in new processes. A new process
/// calls them inside the constructor of its Job. All processes of a job pass the same functions.
///
/// ```
/// Mesh mesh;                                              // lives longer than the Job
/// ductile::Schema schema;
/// schema.on_prepare([&](ductile::Place p) { mesh.generate_next(p.rank, p.size); });
/// schema.on_redistribute([&](const ductile::DataMove& m) { mesh.send_and_receive(m); });
/// ductile::Job job(argc, argv, {}, schema);
/// ```
class Schema {
  public:
    /// A function for on_prepare().
    using Prepare = std::function<void(Place)>;
    /// A function for on_redistribute().
    using Redistribute = std::function<void(const DataMove&)>;

    /// `prepare` prepares what the rank needs at its place after a resize, and needs no other rank:
    /// it reads a part of a file, generates a matrix, allocates memory. Before each resize Ductile
    /// calls it on each rank that the job will have after the resize. It is not called when the job
    /// starts. No time limit holds: the program computes meanwhile, and no rank stops at a resize
    /// point before the calls on all ranks have ended. On a rank that stays, a separate thread
    /// makes the call. The call must not access what the program uses, and must make no MPI call on
    /// Job::comm(). A parked rank that comes back makes the call at the resize point, and the other
    /// ranks wait. If a call throws, the resize is rolled back. A resize may also be rolled back
    /// after the call. Then undo nothing: the next call prepares again. Put the prepared objects
    /// into use in Job::on_rebuild.
    Schema& on_prepare(Prepare prepare) {
        prepare_.push_back(std::move(prepare));
        return *this;
    }

    /// `redistribute` moves data that no rule of distribution describes. Ductile calls it at each
    /// resize on all sources and targets, after the registered arrays have moved. It is collective
    /// over `comm`. At a growth another thread may make the call, while the program waits at its
    /// resize point. A source must keep its old data, because the resize may still be rolled back.
    /// If the call throws on any rank, the resize is rolled back. A source that then waits in MPI
    /// for the rank that threw cannot take part in another growth. So do work that may fail in
    /// on_prepare, or let all ranks agree that it has succeeded before they communicate. The same
    /// holds if a new process dies during the call. If sources wait for the dead process in a
    /// collective call, the job may end. Point-to-point messages are safer. At a shrink with
    /// `--method merge`, and when parked ranks come back, the resize is already certain. If the
    /// call then throws, resize_point() throws ductile::ProgramFailed with the text, and the job
    /// cannot continue. If the call has not ended on all ranks after `ductile run
    /// --redistribute-within` (600 s; 0: no limit), a message names the ranks on which it has not
    /// ended. The resize is then rolled back; if it is certain, the job is ended. With `--memory
    /// tight` each resize is certain, and the call must not read the old parts of registered
    /// arrays.
    Schema& on_redistribute(Redistribute redistribute) {
        redistribute_.push_back(std::move(redistribute));
        return *this;
    }

    /// Places the parts of the distributed array `array` in `memory`, on all ranks. If the program
    /// passes this name to Job::distribute_rows(), that call throws UsageError. Records of this
    /// name lie in ordinary memory. If there is no memory, or a function throws, the resize is
    /// rolled back. After the commit (a shrink with `--method merge`, parked ranks that come back,
    /// `--memory tight`) a copy function that throws ends the job. The constructor of the Job
    /// throws InputError without `allocate` or `free`, with one copy function alone, and for a
    /// device without copy functions.
    Schema& keep_in(const std::string& array, ArrayMemory memory) {
        memory_[array] = std::make_shared<const ArrayMemory>(std::move(memory));
        return *this;
    }

    /// For the library: the arguments of keep_in(), by the name of the array.
    [[nodiscard]] const std::map<std::string, std::shared_ptr<const ArrayMemory>>& memory() const {
        return memory_;
    }
    /// For the library: the arguments of on_prepare().
    [[nodiscard]] const std::vector<Prepare>& prepare() const { return prepare_; }
    /// For the library: the arguments of on_redistribute().
    [[nodiscard]] const std::vector<Redistribute>& redistribute() const { return redistribute_; }

  private:
    std::vector<Prepare> prepare_;
    std::vector<Redistribute> redistribute_;
    std::map<std::string, std::shared_ptr<const ArrayMemory>> memory_;
};

}  // namespace ductile
