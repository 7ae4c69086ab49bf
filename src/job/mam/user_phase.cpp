#include "job/mam/user_phase.hpp"

#include <chrono>
#include <thread>

#include "ductile/error.hpp"

namespace ductile::mam {

namespace {

struct Phase {
    const DataMove& move;
    bool ended = false;
};

// The function calls C functions without a handle. In resizes with new processes a thread of the
// library runs the function. So each thread has its own phase.
thread_local Phase* running = nullptr;

mam_proc_states role_in(const DataMove& move) {
    if (move.rank_after < 0) return MAM_PROC_ZOMBIE;
    return move.rank_before < 0 ? MAM_PROC_NEW_RANK : MAM_PROC_CONTINUE;
}

}  // namespace

double run_user_phase(UserFunction function, const DataMove& move,
                      const std::function<bool()>& is_given_up) {
    const auto began = std::chrono::steady_clock::now();
    Phase phase{move};
    while (function.call != nullptr && !phase.ended) {
        if (is_given_up()) throw Error("the resize was given up");
        running = &phase;
        function.call(function.args);
        running = nullptr;
        std::this_thread::yield();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

std::optional<mam_user_reconf_t> reconf_info() {
    if (running == nullptr) return std::nullopt;
    const auto& move = running->move;
    return mam_user_reconf_t{static_cast<int>(move.sources.size()),
                             static_cast<int>(move.targets.size()), role_in(move), move.comm};
}

bool end_user_phase() {
    if (running == nullptr) return false;
    running->ended = true;
    return true;
}

}  // namespace ductile::mam
