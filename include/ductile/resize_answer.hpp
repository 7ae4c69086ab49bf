/// \file
/// The outcome of a resize that a program requests itself.
#pragma once

#include <string>

namespace ductile {

/// The outcome of a rank's last request for a resize.
struct ResizeAnswer {
    /// The state of the request.
    enum class State {
        none,         ///< the rank has made no request
        open,         ///< the request waits for its turn, hosts, new ranks or a resize point
        done,         ///< the job has the requested size
        refused,      ///< the size is not possible, or not allowed
        rolled_back,  ///< the resize began and was undone: the job has its old size
        lost,         ///< the broker ended before it answered, or there is none: ask again
    };
    State state = State::none;  ///< the state of the request
    std::string text;           ///< for a person: the outcome or the reason; empty while open
};

}  // namespace ductile
