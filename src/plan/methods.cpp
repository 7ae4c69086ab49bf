#include "plan/methods.hpp"

#include "core/named.hpp"

namespace ductile::plan {

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

std::string_view to_string(Joining joining) {
    return joining == Joining::point ? "point" : "background";
}

std::string_view to_string(Memory memory) {
    return memory == Memory::keep ? "keep" : "tight";
}

std::string_view to_string(RankOrder order) {
    return order == RankOrder::append ? "append" : "interleave";
}

std::string_view to_string(Executor executor) {
    switch (executor) {
        case Executor::alltoallv:
            return "alltoallv";
        case Executor::rma_lock:
            return "rma-lock";
        case Executor::rma_lockall:
            return "rma-lockall";
        case Executor::automatic:
            return "auto";
        case Executor::p2p:
            break;
    }
    return "p2p";
}

std::optional<Method> method_named(std::string_view name) {
    return core::named(all_methods, name);
}

std::optional<Start> start_named(std::string_view name) {
    return core::named(all_starts, name);
}

std::optional<Overlap> overlap_named(std::string_view name) {
    return core::named(all_overlaps, name);
}

std::optional<Joining> joining_named(std::string_view name) {
    return core::named(all_joinings, name);
}

std::optional<Memory> memory_named(std::string_view name) {
    return core::named(all_memories, name);
}

std::optional<RankOrder> rank_order_named(std::string_view name) {
    return core::named(all_rank_orders, name);
}

std::optional<Executor> executor_named(std::string_view name) {
    return core::named(executor_choices, name);
}

}  // namespace ductile::plan
