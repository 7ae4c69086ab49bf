// Operations of groups under way: who makes them go on, and what becomes of one that fails.
#include <algorithm>
#include <utility>

#include "groups/group_space.hpp"

namespace ductile::groups {

GroupSpace::Progress GroupSpace::go_on() {
    const std::lock_guard lock(under_way_mutex_);
    for (const auto& one : under_way_) {
        try {
            one->over = one->operation->test();
        } catch (...) {
            one->failure = std::current_exception();
            one->over = true;
        }
        if (one->over) one->operation.reset();
    }
    const auto completed = std::erase_if(under_way_, [](const auto& one) { return one->over; });
    return {completed, under_way_.size()};
}

std::shared_ptr<GroupSpace::UnderWay> GroupSpace::start(std::unique_ptr<Operation> operation) {
    require_live();
    auto under_way = std::make_shared<UnderWay>();
    under_way->operation = std::move(operation);
    {
        const std::lock_guard lock(under_way_mutex_);
        under_way_.push_back(under_way);
    }
    go_on();
    return under_way;
}

bool GroupSpace::test(const std::shared_ptr<UnderWay>& under_way) {
    if (!retired_) go_on();
    const std::lock_guard lock(under_way_mutex_);
    if (under_way->failure) std::rethrow_exception(under_way->failure);
    return under_way->over;
}

void GroupSpace::wait(const std::shared_ptr<UnderWay>& under_way) {
    while (!test(under_way)) std::this_thread::yield();
}

void GroupSpace::abandon(const std::shared_ptr<UnderWay>& under_way) {
    const std::lock_guard lock(under_way_mutex_);
    std::erase(under_way_, under_way);
    under_way->operation.reset();
    under_way->over = true;
}

void GroupSpace::run(std::unique_ptr<Operation> operation) {
    require_live();
    bool alone = false;
    {
        const std::lock_guard lock(under_way_mutex_);
        alone = under_way_.empty();
    }
    if (alone)
        operation->wait();
    else
        wait(start(std::move(operation)));
}

}  // namespace ductile::groups
