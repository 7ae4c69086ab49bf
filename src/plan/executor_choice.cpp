#include "plan/executor_choice.hpp"

#include <algorithm>

#include "core/contract.hpp"

namespace ductile::plan {

MoveShape move_shape(int sources, int targets, double bytes) {
    DUCTILE_EXPECT(sources >= 1 && targets >= 1 && bytes >= 0);
    constexpr double mebibyte = 1 << 20;
    return {std::max(sources, targets), bytes / mebibyte / std::min(sources, targets)};
}

Executor choose_executor(const std::vector<MoveCost>& costs, const MoveShape& shape) {
    const auto least =
        std::ranges::min_element(costs, {}, [&](const MoveCost& cost) { return cost.at(shape); });
    return least == costs.end() ? Executor::alltoallv : least->executor;
}

}  // namespace ductile::plan
