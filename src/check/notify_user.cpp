#include "check/notify_user.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace ductile::check {

void notify_user(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += "ductile check: " + line + "\n";
    for (std::string_view rest = text; !rest.empty();) {
        const auto written = ::write(STDERR_FILENO, rest.data(), rest.size());
        if (written <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

void end_program() {
    std::fflush(nullptr);
    ::_exit(EXIT_FAILURE);
}

}  // namespace ductile::check
