#include "os/signals.hpp"

#include <pthread.h>

namespace ductile::os {

std::vector<int> program_signals() {
    std::vector<int> numbers{SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
                             SIGURG,  SIGIO,   SIGPWR,  SIGXCPU};
    for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) numbers.push_back(number);
    return numbers;
}

std::vector<int> not_ignored(std::span<const int> numbers) {
    std::vector<int> heard;
    for (const int number : numbers) {
        struct sigaction present {};
        if (::sigaction(number, nullptr, &present) == 0 && present.sa_handler != SIG_IGN)
            heard.push_back(number);
    }
    return heard;
}

void ignore_program_signals() {
    for (const int number : program_signals()) ::signal(number, SIG_IGN);
}

void mask_signal(int how, int number) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    ::pthread_sigmask(how, &one, nullptr);
}

void stop_this_process() {
    struct sigaction standard {};
    struct sigaction before {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGTSTP, &standard, &before);
    ::raise(SIGTSTP);
    ::sigaction(SIGTSTP, &before, nullptr);
}

void unblock_signals() {
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace ductile::os
