#include "os/terminal.hpp"

#include <termios.h>
#include <unistd.h>

namespace ductile::os {

// The kernel means the process group, whose parents are in the same session. Of a pipeline, any
// process shows it.
bool is_orphaned() {
    return ::getsid(::getppid()) != ::getsid(0);
}

bool is_in_background(int terminal) {
    // Fails if this is no terminal, or that of another session.
    const auto foreground = ::tcgetpgrp(terminal);
    return foreground >= 0 && foreground != ::getpgrp() && !is_orphaned();
}

bool may_read_again(int terminal) {
    return ::tcgetpgrp(terminal) >= 0 && !is_orphaned();
}

bool is_write_held(int terminal) {
    termios settings{};
    return is_in_background(terminal) && ::tcgetattr(terminal, &settings) == 0 &&
           (settings.c_lflag & static_cast<tcflag_t>(TOSTOP)) != 0;
}

}  // namespace ductile::os
