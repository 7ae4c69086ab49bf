#include "engine/preparation.hpp"

#include <string>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::engine {

// Nothing where there is nothing to do.
std::optional<Place> Preparation::place_in(const core::Layout& after) const {
    const auto rank = after.rank_of(self_);
    if (!rank || hooks_->schema.prepare().empty()) return std::nullopt;
    return Place{rank->value, after.size()};
}

void Preparation::make_calls(Place place) const {
    try {
        for (const auto& prepare : hooks_->schema.prepare()) prepare(place);
    } catch (const std::exception& error) {
        throw ProgramFailed(std::string("what the program prepares for a resize failed: ") +
                            error.what());
    }
}

void Preparation::begin(core::TransactionId transaction, const core::Layout& after) {
    const auto place = place_in(after);
    const std::lock_guard lock(mutex_);
    if (!place || begun_ == transaction) return;
    begun_ = transaction;
    thread_ =
        std::thread([this, transaction, place = *place, before = std::move(thread_)]() mutable {
            run(std::move(before), transaction, place);
        });
}

void Preparation::make(const core::Layout& after) const {
    if (const auto place = place_in(after)) make_calls(*place);
}

void Preparation::run(std::thread before, core::TransactionId transaction, Place place) {
    if (before.joinable()) before.join();
    Obstacle obstacle;
    try {
        make_calls(place);
    } catch (const Error& error) {
        obstacle = error.what();
    }
    const std::lock_guard lock(mutex_);
    ended_ = transaction;
    obstacle_ = std::move(obstacle);
    over_.notify_all();
}

Obstacle Preparation::wait(core::TransactionId transaction, const std::function<bool()>& given_up) {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    if (begun_ != transaction) return std::nullopt;
    while (!over_.wait_for(lock, 10ms, [&] { return ended_ == transaction; }))
        if (given_up()) return "it was given up while the program prepared for it";
    return obstacle_;
}

void Preparation::finish() {
    std::thread last;
    {
        const std::lock_guard lock(mutex_);
        last = std::move(thread_);
    }
    if (last.joinable()) last.join();
}

}  // namespace ductile::engine
