// Questions about which process has a rank of a group, and their answers. No MPI, no clock.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "groups/group_key.hpp"
#include "tree/tree_position.hpp"

namespace ductile::groups {

class RankQueries {
  public:
    /// The answer to an earlier question.
    [[nodiscard]] std::optional<tree::ProcessId> known(GroupKey group, int rank) const {
        const auto at = known_.find({group, rank});
        return at == known_.end() ? std::nullopt : std::optional(at->second);
    }
    void remember(GroupKey group, int rank, tree::ProcessId id) {
        if (known_.size() >= most_known) known_.clear();
        known_.emplace(std::pair{group, rank}, id);
    }
    /// This process has closed the group.
    void forget(GroupKey group) {
        known_.erase(known_.lower_bound({group, 0}), known_.lower_bound({{group.value + 1}, 0}));
    }

    /// Returns the number of a new question. Its answer has the same number.
    int open_ticket() {
        answers_[next_ticket_];
        return next_ticket_++;
    }
    /// An answer is dropped if nobody waits for it any more.
    void on_answer(int ticket, tree::ProcessId id) {
        if (const auto at = answers_.find(ticket); at != answers_.end()) at->second = id;
    }
    [[nodiscard]] bool is_answered(int ticket) const { return answers_.at(ticket).has_value(); }
    /// Nobody waits for the answer any more. Returns the answer, if there is one.
    std::optional<tree::ProcessId> close_ticket(int ticket) {
        return answers_.extract(ticket).mapped();
    }

  private:
    /// A process that asks for more ranks than this has to repeat some questions.
    static constexpr std::size_t most_known = 4096;

    std::map<std::pair<GroupKey, int>, tree::ProcessId> known_;
    std::map<int, std::optional<tree::ProcessId>> answers_;  // by ticket
    int next_ticket_ = 0;
};

}  // namespace ductile::groups
