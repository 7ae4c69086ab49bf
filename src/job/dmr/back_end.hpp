// Two ways to resize a program written for DMR.
#pragma once

#include <memory>
#include <optional>

#include "ductile/job.hpp"

namespace ductile::dmr {

/// A process's membership, and who redistributes the data. From its constructor, which is
/// collective over the job, to its destructor, which is so, too.
class BackEnd {
  public:
    BackEnd() = default;
    BackEnd(const BackEnd&) = delete;
    BackEnd& operator=(const BackEnd&) = delete;
    virtual ~BackEnd() = default;

    [[nodiscard]] virtual Job& job() = 0;
    /// Each resize makes one world of the job.
    [[nodiscard]] virtual bool is_one_world() const = 0;
    /// In an added process: connects it with those that have its data, if they are others.
    virtual void begin_redistribution() = 0;
    /// A place where the job may be resized. The new size where the program redistributes now.
    [[nodiscard]] virtual std::optional<int> reconfigure() = 0;
    /// Does not return in a process that has left.
    virtual void end_redistribution() = 0;
    /// Of a resize that the program has asked for.
    virtual void complete() = 0;
};

std::unique_ptr<BackEnd> make_mam_back_end();
std::unique_ptr<BackEnd> make_world_back_end();

}  // namespace ductile::dmr
