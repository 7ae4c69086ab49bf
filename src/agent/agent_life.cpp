#include "agent/agent_life.hpp"

#include <utility>

namespace ductile::agent {

namespace {

/// Whether the job has ended for this agent, which has no broker.
bool is_over_without_broker(const AgentView& view) {
    return view.had_none || !view.knows_coordinator || view.others_ended ||
           (!view.is_coordinator && view.peers_complete);
}

}  // namespace

bool AgentLife::end(int code) {
    if (!is_working()) return false;
    state_ = Ending{code};
    return true;
}

void AgentLife::order_finish() {
    if (is_working()) state_ = Dismissed{};
}

// The coordinator stays until everything has ended on all other hosts with members, because their
// agents need it.
std::vector<AgentStep> AgentLife::consider(const AgentView& view) {
    std::vector<AgentStep> steps;
    if (is_finishing() || !view.all_ended) return steps;
    bool is_over = !std::holds_alternative<Working>(state_);
    if (!is_over && view.broker_is_gone && !view.has_failed) {
        steps.push_back(AgentStep::report_end);
        is_over = is_over_without_broker(view);
    }
    if (!is_over) return steps;
    if (view.output_is_finished) {
        state_ = Finishing{code()};
        steps.push_back(AgentStep::finish);
    } else if (!std::exchange(awaits_output_, true)) {
        steps.push_back(AgentStep::await_output);
    }
    return steps;
}

int AgentLife::code() const {
    if (const auto* ending = std::get_if<Ending>(&state_)) return ending->code;
    if (const auto* finishing = std::get_if<Finishing>(&state_)) return finishing->code;
    return 0;
}

}  // namespace ductile::agent
