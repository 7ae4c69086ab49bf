// Chooses the size of a range that a job begins with, or that it is resized to. Pure.
#pragma once

#include <variant>

#include "broker/resize_planner.hpp"
#include "core/size_range.hpp"

namespace ductile::broker {

/// Plans a request that asks for one size.
using PlanOneSize = Planned (*)(const ResizeRequest& request, const JobView& job);

/// Plans a request for a range of sizes by `plan`. Chooses the largest size that the limits allow
/// and that can be reached on hosts that were not lost. If there is none, returns the result of
/// `plan` for the smallest size that the limits allow. If the size of the job is within the range,
/// the job grows or stays, and never shrinks. Passes a request for one size, or without a size, to
/// `plan`.
///
/// If 64 sizes in a row are refused, a binary search finds the size. It finds the largest size only
/// if each size above a refused size is refused, too.
Planned plan_size_in_range(const ResizeRequest& request, const JobView& job, PlanOneSize plan);

/// The world that a job begins with. Its size is the largest one of `ranks` that the limits allow
/// and for which there are slots.
std::variant<core::Group, Refused> plan_first_world(const core::SizeRange& ranks,
                                                    const core::Allocation& allocation,
                                                    const Limits& limits);

}  // namespace ductile::broker
