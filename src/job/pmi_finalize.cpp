#include "job/pmi_finalize.hpp"

#include <poll.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ductile {

namespace {

constexpr int patience_ms = 1000;

// In PMI-1 a command is a line of text. With a value other than 1, this variable makes MPICH speak
// another protocol.
bool speaks_pmi_1() {
    const char* version = std::getenv("MPIR_CVAR_PMI_VERSION");
    return version == nullptr || std::strcmp(version, "1") == 0;
}

}  // namespace

void pmi_finalize() {
    const char* name = std::getenv("PMI_FD");
    int fd = -1;
    if (name == nullptr || !speaks_pmi_1() ||
        std::from_chars(name, name + std::strlen(name), fd).ec != std::errc() || fd < 0)
        return;
    constexpr std::string_view command = "cmd=finalize\n";
    if (::write(fd, command.data(), command.size()) != static_cast<ssize_t>(command.size())) return;
    pollfd answer{fd, POLLIN, 0};
    char text[256];
    if (::poll(&answer, 1, patience_ms) == 1) [[maybe_unused]]
        const auto ignored = ::read(fd, text, sizeof(text));
}

}  // namespace ductile
