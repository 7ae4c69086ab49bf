#include <fmt/format.h>

#include <csignal>
#include <set>
#include <thread>

#include "cluster/freezer.hpp"
#include "cluster/processes.hpp"
#include "cluster/system_call.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

using namespace std::chrono_literals;

char state_of(pid_t pid) {
    const auto process = os::read_process(pid);
    return process ? process->state : '?';
}

bool is_stopped(char state) {
    return state == 'T' || state == 't';
}
bool has_ended(char state) {
    return state == 'Z' || state == 'X' || state == '?';
}

class FrozenBySignals final : public FrozenHost {
  public:
    explicit FrozenBySignals(ino_t pid_namespace) : pid_namespace_(pid_namespace) {
        for (const pid_t pid : pids_in_namespace(pid_namespace_))
            if (is_stopped(state_of(pid))) stopped_before_.insert(pid);
        const Deadline deadline{5s};
        while (!stop_running()) {
            if (deadline.has_passed()) {
                thaw();
                throw TimeoutError("cannot freeze by signals (a process does not stop)");
            }
            std::this_thread::sleep_for(1ms);
        }
    }
    [[nodiscard]] std::string_view method() const override { return "signals"; }

    void thaw() override {
        for (const pid_t pid : pids_in_namespace(pid_namespace_))
            if (!stopped_before_.contains(pid)) ::kill(pid, SIGCONT);
    }

  private:
    /// True: every process is stopped, so none can have started another since. A process that
    /// sleeps in the kernel (D, for example the parent in a vfork whose child was stopped first)
    /// counts as stopped after it was sent the signal: it stops before it leaves the kernel.
    bool stop_running() {
        bool complete = true;
        for (const pid_t pid : pids_in_namespace(pid_namespace_)) {
            const char state = state_of(pid);
            if (is_stopped(state) || has_ended(state)) continue;
            if (state == 'D' && signalled_.contains(pid)) continue;
            ::kill(pid, SIGSTOP);
            signalled_.insert(pid);
            complete = false;
        }
        return complete;
    }

    ino_t pid_namespace_;
    std::set<pid_t> stopped_before_;
    std::set<pid_t> signalled_;
};

}  // namespace

std::unique_ptr<FrozenHost> freeze_by_signals(ino_t pid_namespace) {
    return std::make_unique<FrozenBySignals>(pid_namespace);
}

}  // namespace ductile::cluster
