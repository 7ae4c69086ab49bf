#include "resize/spawn_callers.hpp"

namespace ductile::resize {

void SpawnCallers::ask(const SpawnAsked& asked) {
    callers_[asked.starts] = {asked.host, asked.caller, asked.port, Asking{}};
}

void SpawnCallers::answer(core::GroupId starts, bool ok, Effects& out) {
    const auto it = callers_.find(starts);
    if (it == callers_.end()) return;
    auto& caller = it->second;
    if (!std::holds_alternative<Asking>(caller.state)) return ok ? void() : help(starts, out);
    out.push_back(AnswerSpawn{caller.host, caller.process, ok});
    if (ok)
        caller.state = Accepting{};
    else
        caller.state = Out{};
}

void SpawnCallers::fail_all(Effects& out) {
    for (const auto& [starts, caller] : std::map(callers_))
        if (std::holds_alternative<Asking>(caller.state)) answer(starts, false, out);
}

void SpawnCallers::help(core::GroupId starts, Effects& out) {
    const auto it = callers_.find(starts);
    if (it == callers_.end() || !std::holds_alternative<Accepting>(it->second.state)) return;
    it->second.state = Helped{};
    out.push_back(KillGroup{starts, false});
    out.push_back(ConnectAndAbort{it->second.port, it->second.host});
}

bool SpawnCallers::help_all(Effects& out) {
    bool any = false;
    for (const auto& [starts, caller] : std::map(callers_)) {
        any = any || std::holds_alternative<Accepting>(caller.state);
        help(starts, out);
    }
    return any;
}

}  // namespace ductile::resize
