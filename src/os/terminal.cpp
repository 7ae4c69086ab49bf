#include "os/terminal.hpp"

#include <termios.h>
#include <unistd.h>

namespace ductile::os {

bool is_in_background(int terminal) {
    // Fails if this is no terminal, or that of another session.
    const auto foreground = ::tcgetpgrp(terminal);
    return foreground >= 0 && foreground != ::getpgrp();
}

bool is_write_held(int terminal) {
    termios settings{};
    return is_in_background(terminal) && ::tcgetattr(terminal, &settings) == 0 &&
           (settings.c_lflag & static_cast<tcflag_t>(TOSTOP)) != 0;
}

}  // namespace ductile::os
