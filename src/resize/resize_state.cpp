#include "resize/resize_state.hpp"

#include "core/overloaded.hpp"

namespace ductile::resize {

std::string to_text(const State& state) {
    return std::visit(
        core::Overloaded{
            [](const Starting& s) {
                static constexpr const char* stages[] = {"starting", "connecting", "bridging",
                                                         "joining"};
                return stages[static_cast<int>(s.stage)];
            },
            [](const Agreeing&) { return "asking"; }, [](const Waiting&) { return "waiting"; },
            [](const Switching&) { return "switching"; },
            [](const Abandoned& s) { return s.at_point ? "switching" : "waiting"; },
            [](const Undoing&) { return "rolling back"; }, [](const Done&) { return "done"; }},
        state);
}

const Announced* announced_in(const State& state) {
    return std::visit(
        core::Overloaded{[](const Starting& s) { return s.at_point ? &*s.at_point : nullptr; },
                         [](const Waiting& s) { return &s.announced; },
                         [](const Switching& s) { return &s.announced; },
                         [](const Abandoned& s) { return &s.announced; },
                         [](const auto&) -> const Announced* { return nullptr; }},
        state);
}

Announced* announced_in(State& state) {
    return const_cast<Announced*>(announced_in(std::as_const(state)));
}

}  // namespace ductile::resize
