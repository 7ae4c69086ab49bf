/// \file
/// The answer of a resize point.
#pragma once

namespace ductile {

/// What a resize point did.
enum class Resized {
    unchanged,  ///< no resize was due, or the resize was rolled back
    pending,    ///< a resize is under way in the background; other ranks may get another answer,
                ///< so never make collective calls depend on it
    resized,    ///< the job has a new size; handles have new parts, and comm() has changed
    leave,      ///< this rank has left the job: clean up and return from main
};

}  // namespace ductile
