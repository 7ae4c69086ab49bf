// Tells the broker whether the current switch makes progress.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "engine/expand_attempt.hpp"

namespace ductile::engine {

class SwitchProgress {
  public:
    // Called by the program's thread.
    void watch(core::TransactionId transaction, std::shared_ptr<const ExpandAttempt> attempt) {
        become(Joining{transaction, std::move(attempt), 0});
    }
    /// The program does its own work. This counts as progress as long as it lasts.
    void let_program_work(core::TransactionId transaction) { become(ProgramAtWork{transaction}); }
    void end() { become(Nothing{}); }

    /// The transaction of the switch, if it made progress since the last call.
    std::optional<core::TransactionId> take_progress() {
        const std::lock_guard lock(mutex_);
        if (const auto* at_work = std::get_if<ProgramAtWork>(&state_)) return at_work->transaction;
        auto* joining = std::get_if<Joining>(&state_);
        if (joining == nullptr || joining->attempt->steps() == joining->reported_steps)
            return std::nullopt;
        joining->reported_steps = joining->attempt->steps();
        return joining->transaction;
    }

  private:
    struct Nothing {};
    struct Joining {
        core::TransactionId transaction;
        std::shared_ptr<const ExpandAttempt> attempt;
        std::uint64_t reported_steps = 0;
    };
    struct ProgramAtWork {
        core::TransactionId transaction;
    };
    using State = std::variant<Nothing, Joining, ProgramAtWork>;

    void become(State state) {
        const std::lock_guard lock(mutex_);
        state_ = std::move(state);
    }

    std::mutex mutex_;
    State state_;
};

}  // namespace ductile::engine
