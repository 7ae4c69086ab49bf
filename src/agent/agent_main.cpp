// The agent. A broker starts it on a host, with its orders on standard input. It is a small program
// of its own, so that it starts quickly.
#include <cstdio>
#include <exception>
#include <string_view>

#include "agent/agent_command.hpp"

int main(int argc, char** argv) {
    if (argc == 1) return ductile::agent::run_agent(0);
    try {
        if (argc == 3 && std::string_view(argv[1]) == "--sweep")
            return ductile::agent::sweep(argv[2]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ductile agent: %s\n", error.what());
        return 1;
    }
    std::fprintf(
        stderr,
        "ductile agent: only `ductile run` starts this program, and gives it its orders on "
        "standard input\n");
    return 2;
}
