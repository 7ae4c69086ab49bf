// The ways to run a workload that a study compares (dmr-slurm-mpdata, sections 5.2 and 5.3). Pure.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "plan/methods.hpp"

namespace ductile::cli {

struct Configuration {
    std::string_view name;
    bool is_malleable = false;  ///< otherwise each job keeps the largest efficient number of hosts
    plan::Method method = plan::Method::merge;
    plan::Overlap overlap = plan::Overlap::blocking;
};

inline constexpr std::array all_configurations{
    Configuration{"static"},
    Configuration{"baseline", true, plan::Method::baseline, plan::Overlap::blocking},
    Configuration{"merge", true, plan::Method::merge, plan::Overlap::blocking},
    Configuration{"baseline-background", true, plan::Method::baseline, plan::Overlap::background},
    Configuration{"merge-background", true, plan::Method::merge, plan::Overlap::background}};

[[nodiscard]] inline const Configuration* configuration_named(std::string_view name) {
    const auto* found = std::ranges::find(all_configurations, name, &Configuration::name);
    return found == all_configurations.end() ? nullptr : found;
}

}  // namespace ductile::cli
