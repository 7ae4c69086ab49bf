#include "engine/resize_desk.hpp"

#include <utility>

namespace ductile::engine {

std::optional<wire::PointAnswer> ResizeDesk::question(const wire::Question& question) {
    const std::lock_guard lock(mutex_);
    if (begun_) return answer(question);
    owed_ = question;
    return std::nullopt;
}

std::optional<wire::PointAnswer> ResizeDesk::begin(std::int64_t count) {
    const std::lock_guard lock(mutex_);
    counter.set_count(count);
    begun_ = has_joined_ = true;
    say_standing_if_idle();
    if (!owed_) return std::nullopt;
    const auto question = *owed_;
    owed_.reset();
    return answer(question);
}

wire::PointAnswer ResizeDesk::answer(const wire::Question& question) {
    if (finished_) return {question.transaction, question.attempt, counter.count(), true};
    asked_ = question.transaction;
    decision_.reset();
    vote_claimed_ = false;
    return {question.transaction, question.attempt, counter.arm(), false};
}

void ResizeDesk::decide(const wire::Decide& decision) {
    const std::lock_guard lock(mutex_);
    if (owed_ && owed_->transaction == decision.transaction) owed_.reset();
    if (asked_ != decision.transaction) return;
    decision_ = decision;
    if (decision.point == 0) {
        asked_.reset();
        counter.disarm();
        say_standing_if_idle();
    }
    changed_.notify_all();
}

void ResizeDesk::abandon(core::TransactionId transaction, const std::string& why) {
    const std::lock_guard lock(mutex_);
    abandoned_ = transaction;
    abandoned_why_ = why;
    if (on_abandon_ && asked_ == transaction) on_abandon_();
    changed_.notify_all();
}

void ResizeDesk::proceed(core::TransactionId transaction) {
    const std::lock_guard lock(mutex_);
    proceeding_ = transaction;
    changed_.notify_all();
}

void ResizeDesk::wait_to_proceed(core::TransactionId transaction) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        return proceeding_ == transaction || abandoned_ == transaction || lost_ == transaction;
    });
}

bool ResizeDesk::broker_lost() {
    const std::lock_guard lock(mutex_);
    broker_lost_ = true;
    if (asked_) lost_ = asked_;
    if (owed_) lost_ = owed_->transaction;
    changed_.notify_all();
    counter.set_underway(false);
    if (!asked_ || vote_claimed_) return false;
    vote_claimed_ = true;
    return true;
}

bool ResizeDesk::lost_meanwhile() {
    const std::lock_guard lock(mutex_);
    return asked_ && asked_ == lost_;
}

void ResizeDesk::broker_back() {
    const std::lock_guard lock(mutex_);
    broker_lost_ = false;
    standing_owed_ = true;
    say_standing_if_idle();
}

void ResizeDesk::set_spawning(bool on) {
    const std::lock_guard lock(mutex_);
    spawning_ = on;
    say_standing_if_idle();
}

void ResizeDesk::on_standing(std::function<void(const wire::Standing&)> say_standing) {
    const std::lock_guard lock(mutex_);
    say_standing_ = std::move(say_standing);
}

void ResizeDesk::stand(std::optional<core::TransactionId> transaction, bool worn) {
    const std::lock_guard lock(mutex_);
    standing_.transaction = transaction.value_or(standing_.transaction);
    standing_.worn = worn;
}

void ResizeDesk::say_standing_if_idle() {
    const bool open = asked_ || owed_ || spawning_;
    if (!standing_owed_ || !has_joined_ || open || !say_standing_) return;
    standing_owed_ = false;
    say_standing_(standing_);
}

void ResizeDesk::cancel() {
    const std::lock_guard lock(mutex_);
    asked_.reset();
    decision_.reset();
    vote_claimed_ = false;
    counter.disarm();
    changed_.notify_all();
    say_standing_if_idle();
}

std::optional<wire::Decide> ResizeDesk::wait_at(std::int64_t point) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        return !asked_ || (decision_ && decision_->point != point) || (decision_ && !vote_claimed_);
    });
    if (!asked_ || !decision_ || decision_->point != point) return std::nullopt;
    return decision_;
}

bool ResizeDesk::claim_vote() {
    const std::lock_guard lock(mutex_);
    if (vote_claimed_) return false;
    vote_claimed_ = true;
    return true;
}

std::optional<std::string> ResizeDesk::objection(core::TransactionId transaction) {
    const std::lock_guard lock(mutex_);
    if (abandoned_ == transaction) return abandoned_why_;
    if (lost_ == transaction) return "the broker is lost";
    return std::nullopt;
}

void ResizeDesk::on_abandon(core::TransactionId transaction, std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    on_abandon_ = std::move(wake);
    if (abandoned_ == transaction && on_abandon_) on_abandon_();
}

void ResizeDesk::conclude() {
    const std::lock_guard lock(mutex_);
    asked_.reset();
    decision_.reset();
    vote_claimed_ = false;
    on_abandon_ = nullptr;
    counter.set_underway(false);
    counter.disarm();
    say_standing_if_idle();
}

void ResizeDesk::finish() {
    std::unique_lock lock(mutex_);
    finished_ = true;
    changed_.wait(lock, [&] { return !asked_ || (decision_ && !vote_claimed_); });
}

void ResizeDesk::may_end() {
    const std::lock_guard lock(mutex_);
    may_end_ = true;
    changed_.notify_all();
}

void ResizeDesk::come_back(core::TransactionId transaction) {
    const std::lock_guard lock(mutex_);
    coming_back_ = transaction;
    changed_.notify_all();
}

std::optional<core::TransactionId> ResizeDesk::wait_parked(core::TransactionId last) {
    std::unique_lock lock(mutex_);
    begun_ = false;
    changed_.wait(lock, [&] { return may_end_ || (coming_back_ && *coming_back_ > last); });
    if (may_end_) return std::nullopt;
    return std::exchange(coming_back_, std::nullopt);
}

bool ResizeDesk::is_to_end() {
    const std::lock_guard lock(mutex_);
    return may_end_;
}

void ResizeDesk::wait_to_end(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return may_end_ || broker_lost_; });
}

}  // namespace ductile::engine
