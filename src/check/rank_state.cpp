#include "check/rank_state.hpp"

namespace ductile::check {

std::string where(const RankState& state) {
    if (state.call.empty()) return "in no MPI call so far";
    const std::string call(state.call.view());
    if (!state.waits) return "outside of MPI, after " + call;
    std::string text = "in " + call + std::string(state.about.view());
    if (state.collective > 0)
        text += ", collective call " + std::to_string(state.collective) + since_when(state);
    return text;
}

std::string since_when(const RankState& state) {
    return state.resized ? " since the resize" : " since the start";
}

}  // namespace ductile::check
