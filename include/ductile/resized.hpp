/// \file
/// The answer of a resize point.
#pragma once

namespace ductile {

/// What a resize point did.
enum class Resized {
    unchanged,  ///< nothing was due
    pending,    ///< a resize is under way in the background; this rank's own news, never branch
                ///< collectively on it
    resized,    ///< the job has a new size; handles point at the new parts, comm() is another one
    leave,      ///< this rank is no member any more: clean up and return from main
};

}  // namespace ductile
