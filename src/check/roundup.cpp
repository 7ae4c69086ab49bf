#include "check/roundup.hpp"

namespace ductile::check {

// Those that report during a round answer its question, and those right after one are in its text.
bool Roundup::on_report(const RankState& state, double now) {
    if (open_ || (last_ && now - *last_ < pause_)) return false;
    open_ = true;
    since_ = now;
    asked_ = state;
    answers_.clear();
    return true;
}

void Roundup::on_answer(const RankState& state) {
    answers_[state.rank] = state;
}

std::optional<Roundup::Result> Roundup::take(int ranks, double now) {
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
