/// \file
/// What a process can do for a job before it belongs to it.
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
    int rank = 0;
    int size = 1;
};

/// The processes that take part in a resize: who has the data before it, and who has them
/// afterwards.
struct DataMove {
    /// All sources, by their ranks in the job before, and all new processes, by their later ranks.
    /// The callback's messages go over it; after the call it is not to be used.
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;              ///< this process in `comm`
    std::vector<int> sources;  ///< by rank in the job before: the rank in `comm`
    std::vector<int> targets;  ///< by rank in the job afterwards: the rank in `comm`
    int rank_before = -1;      ///< this process in the job before; -1: it is new, or comes back
    int rank_after = -1;       ///< this process in the job afterwards; -1: it leaves, or parks
};

/// What the program does at resizes on new processes, too, which come to it before they have run
/// any of its lines after the Job's constructor. All processes of a job are given the same.
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
    using Prepare = std::function<void(Place)>;
    using Redistribute = std::function<void(const DataMove&)>;

    /// `prepare` makes what the rank needs at its place in the job after a resize and can make by
    /// itself: it reads a part of a file, generates a matrix, takes memory. It is called before
    /// each resize on each rank that the job has afterwards, and not at the job's start. The
    /// program computes meanwhile, however long it takes: no rank is stopped at a resize point
    /// before the calls on all ranks have ended. On a rank that is there already the call runs on a
    /// thread of its own, so it touches nothing that the program uses, and makes no MPI call on
    /// Job::comm(). A parked rank that comes back makes the call at the resize
    /// point, and is waited for. What a call throws, of any type, calls the resize off. A resize
    /// may be called off also afterwards; then nothing is to be undone, and the next call makes
    /// anew what is needed then. Job::on_rebuild is the place to take into use what was made.
    Schema& on_prepare(Prepare prepare) {
        prepare_.push_back(std::move(prepare));
        return *this;
    }

    /// `redistribute` moves what no rule of distribution covers. It is called at each resize on all
    /// sources and targets, after the registered arrays have moved: collective over `comm`. At an
    /// expand another thread of the process may make the call, while the program waits at its
    /// resize point; what a source had is to stay as it is, as the resize may still be called off,
    /// and a throw on any rank does that. A source that then waits in MPI for the one that threw
    /// cannot take part in another expand, so what may fail belongs into on_prepare, or is agreed
    /// on first. The same is true where a new process dies meanwhile, and where sources wait for it
    /// in a collective call the job may end: messages are safer. At a shrink, and when parked ranks
    /// come back, the resize is certain; what the call throws comes out of resize_point() as
    /// ductile::ProgramFailed with its text, and the job cannot go on. The call may take long, but
    /// not for ever: if it has not ended on all ranks after `ductile run --redistribute-within`
    /// (600 s; 0: no limit), a line says on which, and the resize is called off, or, where it is
    /// certain, the job is ended. With `--memory tight` each resize is certain by then, and the old
    /// parts of registered arrays are not to be read any more.
    Schema& on_redistribute(Redistribute redistribute) {
        redistribute_.push_back(std::move(redistribute));
        return *this;
    }

    /// The parts of the distributed array of that name lie in `memory`, on all ranks. Not the rows
    /// of Job::distribute_rows(), nor records. Where there is no more, and where one of the
    /// functions throws, a resize is called off; a copy function that throws at a shrink ends the
    /// job, as data move after the commit there. A function that is missing is an InputError of the
    /// Job's constructor.
    Schema& keep_in(const std::string& array, ArrayMemory memory) {
        memory_[array] = std::make_shared<const ArrayMemory>(std::move(memory));
        return *this;
    }

    [[nodiscard]] const std::map<std::string, std::shared_ptr<const ArrayMemory>>& memory() const {
        return memory_;
    }
    [[nodiscard]] const std::vector<Prepare>& prepare() const { return prepare_; }
    [[nodiscard]] const std::vector<Redistribute>& redistribute() const { return redistribute_; }

  private:
    std::vector<Prepare> prepare_;
    std::vector<Redistribute> redistribute_;
    std::map<std::string, std::shared_ptr<const ArrayMemory>> memory_;
};

}  // namespace ductile
