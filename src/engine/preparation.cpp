#include "engine/preparation.hpp"

#include <string>
#include <utility>

#include "engine/program_thrown.hpp"

namespace ductile::engine {

// Nothing if there is nothing to do.
std::optional<Place> Preparation::place_in(const core::Layout& after) const {
    const auto rank = after.rank_of(self_);
    if (!rank || hooks_->schema.prepare().empty()) return std::nullopt;
    return Place{rank->value, after.size()};
}

void Preparation::make_calls(Place place) const {
    try {
        for (const auto& prepare : hooks_->schema.prepare()) prepare(place);
    } catch (...) {
        throw_program_failed("the program's on_prepare function");
    }
}

void Preparation::begin(core::TransactionId transaction, const core::Layout& after) {
    const auto place = place_in(after);
    const std::lock_guard lock(mutex_);
    if (!place || begun_ == transaction) return;
    begun_ = transaction;
    link_.send(wire::Preparing{transaction, true});
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
    wire::FromRank last_word = wire::Preparing{transaction, false};
    try {
        make_calls(place);
    } catch (const ProgramFailed& error) {
        last_word = wire::SwitchFailed{
            transaction, std::string(error.what()).substr(0, wire::limits::text_bytes)};
    }
    {
        const std::lock_guard lock(mutex_);
        ended_ = transaction;
        ends_.notify_all();
    }
    link_.send(last_word);  // the broker asks this rank for its point after this message
}

bool Preparation::is_open(core::TransactionId transaction) {
    const std::lock_guard lock(mutex_);
    return begun_ == transaction && ended_ != transaction;
}

void Preparation::finish(const std::function<void()>& is_late, std::chrono::milliseconds late) {
    std::thread last;
    {
        std::unique_lock lock(mutex_);
        last = std::move(thread_);
        if (is_late && !ends_.wait_for(lock, late, [this] { return begun_ == ended_; })) is_late();
    }
    if (last.joinable()) last.join();
}

}  // namespace ductile::engine
