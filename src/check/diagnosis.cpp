#include "check/diagnosis.hpp"

#include <algorithm>
#include <map>

namespace ductile::check {

namespace {

struct Together {
    std::vector<int> ranks;
    std::int64_t seconds = 0;  ///< the longest time that one of them has been in this state
};

using Groups = std::vector<std::pair<std::string, Together>>;

/// Groups ranks by their text, in the order of the first rank of each group.
template <class TextOf>
Groups group(const std::vector<RankState>& states, TextOf text_of) {
    Groups groups;
    for (const auto& state : states) {
        const auto text = text_of(state);
        auto found = std::ranges::find_if(groups, [&](const auto& g) { return g.first == text; });
        if (found == groups.end()) found = groups.insert(found, {text, {}});
        found->second.ranks.push_back(state.rank);
        found->second.seconds = std::max(found->second.seconds, state.seconds);
    }
    return groups;
}

std::string for_seconds(std::int64_t seconds) {
    return " (for " + std::to_string(seconds) + " s)";
}

std::vector<int> silent(const std::vector<RankState>& states, int ranks) {
    std::vector<int> missing;
    for (int rank = 0; rank < ranks; ++rank)
        if (std::ranges::none_of(states, [rank](const auto& s) { return s.rank == rank; }))
            missing.push_back(rank);
    return missing;
}

std::string_view nth_call(const RankState& state, std::size_t n) {
    return n < static_cast<std::size_t>(state.collectives) ? state.first[n].view()
                                                           : std::string_view();
}

// The index of the first call, among the first `kept` calls, that differs between two ranks.
std::optional<std::size_t> first_difference(const std::vector<RankState>& states) {
    for (std::size_t n = 0; n < RankState::kept; ++n) {
        std::string_view seen;
        for (const auto& state : states) {
            const auto call = nth_call(state, n);
            if (call.empty()) continue;
            if (!seen.empty() && call != seen) return n;
            seen = call;
        }
    }
    return std::nullopt;
}

std::string newcomers_among(const std::vector<RankState>& states) {
    std::vector<int> ranks;
    for (const auto& state : states)
        if (state.newcomer) ranks.push_back(state.rank);
    return ranks.empty() ? "" : " (new since the resize: " + name_ranks(ranks) + ")";
}

std::string describe_difference(const std::vector<RankState>& states, std::size_t n) {
    std::string text;
    std::vector<RankState> made;
    std::ranges::copy_if(states, std::back_inserter(made),
                         [n](const auto& s) { return !nth_call(s, n).empty(); });
    for (const auto& [call, together] :
         group(made, [n](const auto& s) { return std::string(nth_call(s, n)); }))
        text += (text.empty() ? "" : ", ") + call + " on " + name_ranks(together.ranks);
    return "collective call " + std::to_string(n + 1) + " on the job's communicator" +
           since_when(states.front()) + " is not the same on all ranks: " + text +
           newcomers_among(states);
}

constexpr const char* advice =
    "all ranks make the same collective calls after a resize; but a new rank begins where the "
    "program begins, and must leave out calls that the others do not make (Job::fresh(), "
    "Job::on_rebuild())";

// Describes ranks that have made fewer collective calls than a rank that waits in one. This helps
// only if there are new ranks. Otherwise the ranks behind wait for a message, and the list of ranks
// shows that already.
std::vector<std::string> describe_lag(const std::vector<RankState>& states) {
    const auto most = std::ranges::max_element(states, {}, &RankState::collective);
    if (most == states.end() || most->collective == 0) return {};
    if (std::ranges::none_of(states, &RankState::newcomer)) return {};
    std::vector<int> behind;
    for (const auto& state : states)
        if (state.waits && state.collectives < most->collective) behind.push_back(state.rank);
    if (behind.empty()) return {};
    return {name_ranks(behind) + (behind.size() == 1 ? " has" : " have") +
                " made fewer collective calls on the job's communicator" + since_when(*most) +
                " than the " + std::to_string(most->collective) + " of rank " +
                std::to_string(most->rank) + newcomers_among(states),
            advice};
}

constexpr std::size_t most_lines = 32;

}  // namespace

std::string name_ranks(const std::vector<int>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
        if (last > i) text += "-" + std::to_string(ranks[last]);
        i = last + 1;
    }
    return text;
}

std::vector<std::string> compare_calls(const std::vector<RankState>& states) {
    const auto difference = first_difference(states);
    if (!difference) return {};
    return {describe_difference(states, *difference), advice};
}

Diagnosis diagnose(const RankState& asked, std::vector<RankState> states, int ranks) {
    std::ranges::sort(states, {}, &RankState::rank);
    Diagnosis diagnosis;
    auto& lines = diagnosis.lines;
    lines.push_back("rank " + std::to_string(asked.rank) + " waits " + where(asked) +
                    for_seconds(asked.seconds) + ". The job's " + std::to_string(ranks) +
                    (ranks == 1 ? " rank is here:" : " ranks are here:"));
    std::size_t shown = 0, left_out = 0;
    for (const auto& [text, together] : group(states, where))
        if (++shown <= most_lines)
            lines.push_back("  " + name_ranks(together.ranks) + ": " + text +
                            for_seconds(together.seconds));
        else
            left_out += together.ranks.size();
    if (left_out > 0)
        lines.push_back("  and " + std::to_string(left_out) + " more that are not shown");
    if (const auto missing = silent(states, ranks); !missing.empty())
        lines.push_back("  " + name_ranks(missing) +
                        ": no answer (stopped, or blocked inside MPI, or without a Job by now)");
    auto why = compare_calls(states);
    diagnosis.differ = !why.empty();
    if (why.empty()) why = describe_lag(states);
    lines.insert(lines.end(), why.begin(), why.end());
    return diagnosis;
}

}  // namespace ductile::check
