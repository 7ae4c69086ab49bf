#include "job/short_exit.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace ductile {

namespace {

std::atomic<bool> wanted = false;
std::atomic<int> exit_code = 0;

// Libraries end after the handlers and destructors of the program. This library ends before the
// libraries that it needs: MPI and what MPI has loaded.
[[gnu::destructor]] void end_process() {
    if (!wanted) return;
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(exit_code);
}

}  // namespace

void exit_shortly() {
    if (wanted.exchange(true)) return;
    ::on_exit([](int status, void*) { exit_code = status; }, nullptr);
}

}  // namespace ductile
