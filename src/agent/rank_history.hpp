// What the agent remembers of its ranks, for the next broker and for the coordinator. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <variant>

#include "wire/agent_messages.hpp"

namespace ductile::agent {

class RankHistory {
  public:
    /// The broker sends a message to ranks.
    void on(const wire::ToRank& message) {
        if (const auto* commit = std::get_if<wire::Commit>(&message))
            committed(commit->transaction);
    }
    /// A rank sends a message.
    void on(const wire::FromRank& message) {
        const auto* done = std::get_if<wire::SwitchDone>(&message);
        if (done != nullptr && done->committed) committed(done->transaction);
        if (const auto* report = std::get_if<wire::RankReport>(&message))
            committed(report->transaction);
    }
    /// A rank has ended. Remembers this, unless the Job of the rank had ended before. The caller
    /// finds out whether it is a failure: a rank without a Job may end with code 0.
    void on(const wire::RankEnded& end) {
        if (!end.goodbye) last_failure_ = end;
    }

    /// The last resize that was committed here; 0: none.
    [[nodiscard]] core::TransactionId committed() const { return committed_; }
    [[nodiscard]] const std::optional<wire::RankEnded>& last_failure() const {
        return last_failure_;
    }

  private:
    void committed(core::TransactionId transaction) {
        committed_ = std::max(committed_, transaction);
    }

    core::TransactionId committed_{0};
    std::optional<wire::RankEnded> last_failure_;
};

}  // namespace ductile::agent
