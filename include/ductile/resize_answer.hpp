/// \file
/// What becomes of a resize that a program asks for itself.
#pragma once

#include <string>

namespace ductile {

/// Of a rank's last request for a resize.
struct ResizeAnswer {
    enum class State {
        none,         ///< the rank has asked for none
        open,         ///< it waits for its turn, for hosts, for new ranks or for a resize point
        done,         ///< the job has the size
        refused,      ///< it cannot be, or may not
        rolled_back,  ///< it was begun and given up: the job has the size that it had
        lost,         ///< the broker is lost; whether it takes place is not known
    };
    State state = State::none;
    std::string text;  ///< for a person: what was done, or why not; empty while it is open
};

}  // namespace ductile
