#include "plan/methods.hpp"

namespace ductile::plan {

namespace {

template <class Values>
auto named(const Values& values, std::string_view name)
    -> std::optional<typename Values::value_type> {
    for (const auto value : values)
        if (to_string(value) == name) return value;
    return std::nullopt;
}

}  // namespace

std::string_view to_string(Method method) {
    return method == Method::merge ? "merge" : "baseline";
}

std::string_view to_string(Start start) {
    switch (start) {
        case Start::collective:
            return "collective";
        case Start::single:
            return "single";
        case Start::hypercube:
            return "hypercube";
        case Start::diffusive:
            return "diffusive";
        case Start::launch:
            break;
    }
    return "launch";
}

std::string_view to_string(Overlap overlap) {
    return overlap == Overlap::blocking ? "blocking" : "background";
}

std::optional<Method> method_named(std::string_view name) {
    return named(all_methods, name);
}

std::optional<Start> start_named(std::string_view name) {
    return named(all_starts, name);
}

std::optional<Overlap> overlap_named(std::string_view name) {
    return named(all_overlaps, name);
}

}  // namespace ductile::plan
