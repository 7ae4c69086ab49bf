#include "check/state_query.hpp"

namespace ductile::check {

// A report starts no round during a round: this round asks the reporting rank, too. It starts no
// round soon after a round either: the text of that round has shown the reporting rank.
bool StateQuery::on_report(const RankState& state, double now) {
    if (open_ || (last_ && now - *last_ < pause_)) return false;
    open_ = true;
    since_ = now;
    asked_ = state;
    answers_.clear();
    return true;
}

void StateQuery::on_answer(const RankState& state) {
    answers_[state.rank] = state;
}

std::optional<StateQuery::Result> StateQuery::take(int ranks, double now) {
    if (!open_) return std::nullopt;
    if (static_cast<int>(answers_.size()) < ranks && now - since_ < answer_within)
        return std::nullopt;
    open_ = false;
    last_ = now;
    Result result{asked_, {}};
    for (const auto& [rank, state] : answers_) result.states.push_back(state);
    return result;
}

}  // namespace ductile::check
