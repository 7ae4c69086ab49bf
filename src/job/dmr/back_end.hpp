// Two ways to resize a program written for DMR.
#pragma once

#include <memory>
#include <optional>

#include "ductile/job.hpp"

namespace ductile::dmr {

/// The membership of a process, and how its data is redistributed. The constructor and the
/// destructor are collective over the job.
class BackEnd {
  public:
    BackEnd() = default;
    BackEnd(const BackEnd&) = delete;
    BackEnd& operator=(const BackEnd&) = delete;
    virtual ~BackEnd() = default;

    [[nodiscard]] virtual Job& job() = 0;
    /// Whether each resize makes one new world of the whole job.
    [[nodiscard]] virtual bool is_one_world() const = 0;
    /// In an added process: connects the process with the processes that have its data, if other
    /// processes have it.
    virtual void begin_redistribution() = 0;
    /// A point at which the job may be resized. Returns the new size if the program must
    /// redistribute now.
    [[nodiscard]] virtual std::optional<int> reconfigure() = 0;
    /// Called after the program has redistributed. Does not return in a process that leaves.
    virtual void end_redistribution() = 0;
    /// Completes a resize that the program has requested.
    virtual void complete() = 0;
};

std::unique_ptr<BackEnd> make_mam_back_end();
std::unique_ptr<BackEnd> make_world_back_end();

}  // namespace ductile::dmr
