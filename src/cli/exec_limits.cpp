#include "cli/exec_limits.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "ductile/error.hpp"

namespace ductile::cli {

namespace {

// MAX_ARG_STRLEN of Linux: 32 pages of 4 KiB, including the final zero.
constexpr std::size_t most_bytes_each = 32 * 4096 - 1;
// Three quarters of the kernel's default stack size. The kernel never accepts more, however large
// the stack limit of the process is.
constexpr std::size_t most_bytes_ever = 6u << 20;
constexpr std::size_t room_for_others = 64u << 10;

std::size_t bytes_of(const std::vector<std::string>& strings) {
    std::size_t bytes = 0;
    for (const auto& text : strings) bytes += text.size() + 1 + sizeof(char*);
    return bytes;
}

void expect_each_fits(const std::vector<std::string>& strings, const std::string& what) {
    const auto longest =
        std::ranges::max_element(strings, {}, [](const std::string& text) { return text.size(); });
    if (longest == strings.end() || longest->size() <= most_bytes_each) return;
    throw InputError("cannot run the program: " + what + " (" + longest->substr(0, 40) +
                     "...) has " + std::to_string(longest->size()) + " bytes; exec takes at most " +
                     std::to_string(most_bytes_each));
}

}  // namespace

void expect_exec_takes(const std::vector<std::string>& program,
                       const std::vector<std::string>& environment) {
    expect_each_fits(program, "one of its arguments");
    expect_each_fits(environment, "a variable of its environment");
    const long said = ::sysconf(_SC_ARG_MAX);
    const auto limit =
        said < 0 ? most_bytes_ever : std::min(static_cast<std::size_t>(said), most_bytes_ever);
    const auto most = limit - std::min(limit, room_for_others);
    const auto bytes = bytes_of(program) + bytes_of(environment);
    if (bytes <= most) return;
    throw InputError("cannot run the program: its " + std::to_string(program.size()) +
                     " words and the " + std::to_string(environment.size()) +
                     " variables of its environment have " + std::to_string(bytes) +
                     " bytes; exec takes at most " + std::to_string(most) +
                     " here (`ulimit -s` sets that limit). Pass a file instead");
}

}  // namespace ductile::cli
