// Moves the parts of distributed arrays from the sources to the targets of a resize. How the bytes
// travel is an implementation: a file each, registered in redistribution.cpp.
#pragma once

#include <memory>
#include <vector>

#include "data/parts.hpp"
#include "data/progress.hpp"
#include "mpi/comm.hpp"

namespace ductile::data {

/// What is to move. `arrays` is the same list on all ranks but for the memory; `new_parts` is from
/// allocate_parts.
struct Movement {
    Parties parties;
    std::vector<Outgoing> arrays;
    std::vector<Block> new_parts;
    bool verify = false;  ///< see redistribute()
};

/// One redistribution: start(), then test() as often as one likes, then finish() or abandon().
///
/// Collective over the sources and targets. Old parts are only read; the new parts are of use after
/// finish(). Each call counts its steps as progress. A call that throws (MpiError, or Abandoned
/// when nobody waits for the result) has abandoned the redistribution.
class Redistribution {
  public:
    Redistribution() = default;
    virtual ~Redistribution() = default;
    Redistribution(const Redistribution&) = delete;
    Redistribution& operator=(const Redistribution&) = delete;

    /// Begins to move. Waits for no other rank.
    virtual void start() = 0;
    /// Gets on as far as it can without waiting. True: this rank's part is done.
    virtual bool test() = 0;
    /// Waits, asleep, until this rank's part is done.
    virtual Moved finish() = 0;
    /// Nobody waits any more. Memory that MPI may still read or write lives until the process ends.
    virtual void abandon() noexcept = 0;
};

/// The way in which this job moves its data. `comm` and `progress` outlive the redistribution.
std::unique_ptr<Redistribution> make_redistribution(const mpi::Comm& comm, Movement movement,
                                                    Progress& progress);

/// Moves everything at once: the lengths of elements that differ in length, and then their values,
/// for which it takes memory. With `verify` the sources sum up what they give, and the targets what
/// they have got; throws SystemError that names the first difference on this rank.
Moved redistribute(const mpi::Comm& comm, const Movement& movement, Progress& progress);

}  // namespace ductile::data
