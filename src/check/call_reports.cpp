#include "check/call_reports.hpp"

#include "check/diagnosis.hpp"

namespace ductile::check {

bool CallReports::begin(int generation) {
    if (generation == generation_) return false;
    *this = {};
    generation_ = generation;
    return true;
}

bool CallReports::is_due(const RankState& mine, double now) {
    constexpr auto kept = static_cast<int>(RankState::kept);
    if (mine.collectives == 0 || reported_ >= kept) return false;
    if (first_seen_ < 0) first_seen_ = now;
    const bool is_first = reported_ == 0 && now - first_seen_ >= soon;
    if (!is_first && mine.collectives < kept) return false;
    reported_ = mine.collectives;
    return true;
}

void CallReports::add(const RankState& state) {
    states_[state.rank] = state;
    is_new_ = true;
}

std::vector<std::string> CallReports::take_difference() {
    if (!is_new_ || is_printed_) return {};
    is_new_ = false;
    std::vector<RankState> states;
    for (const auto& [rank, state] : states_) states.push_back(state);
    auto lines = compare_calls(states);
    is_printed_ = !lines.empty();
    return lines;
}

}  // namespace ductile::check
