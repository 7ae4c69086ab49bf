#include "groups/progress_engine.hpp"

#include <thread>
#include <utility>

namespace ductile::groups {

ProgressEngine::Progress ProgressEngine::go_on() {
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
    auto under_way = std::make_shared<UnderWay>();
    under_way->operation = std::move(operation);
    {
        const std::lock_guard lock(mutex_);
        all_.push_back(under_way);
    }
    go_on();
    return under_way;
}

bool ProgressEngine::test(const Handle& under_way) {
    go_on();
    const std::lock_guard lock(mutex_);
    if (under_way->failure) std::rethrow_exception(under_way->failure);
    return under_way->over;
}

void ProgressEngine::wait(const Handle& under_way) {
    while (!test(under_way)) std::this_thread::yield();
}

void ProgressEngine::abandon(const Handle& under_way) {
    const std::lock_guard lock(mutex_);
    std::erase(all_, under_way);
    under_way->operation.reset();
    under_way->over = true;
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
