#include "groups/progress_engine.hpp"

#include <thread>
#include <utility>

namespace ductile::groups {

ProgressEngine::Progress ProgressEngine::advance() {
    const std::lock_guard lock(mutex_);
    for (const auto& one : all_) {
        try {
            one->over = one->operation->test();
        } catch (...) {
            one->failure = std::current_exception();
            one->over = true;
        }
        if (one->over) one->operation.reset();
    }
    const auto completed = std::erase_if(all_, [](const auto& one) { return one->over; });
    return {completed, all_.size()};
}

ProgressEngine::Handle ProgressEngine::start(std::unique_ptr<Operation> operation) {
    auto pending = std::make_shared<PendingOperation>();
    pending->operation = std::move(operation);
    {
        const std::lock_guard lock(mutex_);
        all_.push_back(pending);
    }
    advance();
    return pending;
}

bool ProgressEngine::test(const Handle& pending) {
    advance();
    const std::lock_guard lock(mutex_);
    if (pending->failure) std::rethrow_exception(pending->failure);
    return pending->over;
}

void ProgressEngine::wait(const Handle& pending) {
    while (!test(pending)) std::this_thread::yield();
}

void ProgressEngine::abandon(const Handle& pending) {
    const std::lock_guard lock(mutex_);
    std::erase(all_, pending);
    pending->operation.reset();
    pending->over = true;
}

void ProgressEngine::run(std::unique_ptr<Operation> operation) {
    if (is_empty())
        operation->wait();
    else
        wait(start(std::move(operation)));
}

bool ProgressEngine::is_empty() {
    const std::lock_guard lock(mutex_);
    return all_.empty();
}

void ProgressEngine::fail_all(const std::exception_ptr& failure, Leave leave) {
    const std::lock_guard lock(mutex_);
    for (auto& one : std::exchange(all_, {})) {
        if (leave == Leave::to_mpi) static_cast<void>(one->operation.release());
        one->operation.reset();
        one->over = true;
        one->failure = failure;
    }
}

}  // namespace ductile::groups
