// Whether the switch at hand gets on, for the broker.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "engine/expand_attempt.hpp"

namespace ductile::engine {

class SwitchProgress {
  public:
    // The program's thread.
    void watch(core::TransactionId transaction, std::shared_ptr<const ExpandAttempt> attempt) {
        const std::lock_guard lock(mutex_);
        transaction_ = transaction;
        attempt_ = std::move(attempt);
        reported_steps_ = 0;
    }
    void end() {
        const std::lock_guard lock(mutex_);
        attempt_.reset();
    }

    /// The transaction, if something was done since the last such question.
    std::optional<core::TransactionId> news() {
        const std::lock_guard lock(mutex_);
        if (!attempt_ || attempt_->steps() == reported_steps_) return std::nullopt;
        reported_steps_ = attempt_->steps();
        return transaction_;
    }

  private:
    std::mutex mutex_;
    std::shared_ptr<const ExpandAttempt> attempt_;
    core::TransactionId transaction_;
    std::uint64_t reported_steps_ = 0;
};

}  // namespace ductile::engine
