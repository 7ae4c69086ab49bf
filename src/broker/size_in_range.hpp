// Which size of a range a job begins with, and which one it is resized to. Pure.
#pragma once

#include <variant>

#include "broker/resize_planner.hpp"
#include "core/size_range.hpp"

namespace ductile::broker {

/// Plans a request that asks for one size.
using PlanOneSize = Planned (*)(const ResizeRequest& request, const JobView& job);

/// Plans a request for a range of sizes by `plan`: the largest size that the limits allow and that
/// can be reached on hosts that were not lost. Where there is none, what `plan` says of the
/// smallest size that the limits allow. A job whose size is within the range grows or stays, and
/// never shrinks. A request that asks for one size, or for none, is passed on to `plan`.
///
/// Where more than 64 sizes in a row are refused the size is found by halving. That is the largest
/// one, too, if each size above a refused one is refused.
Planned plan_size_in_range(const ResizeRequest& request, const JobView& job, PlanOneSize plan);

/// The world that a job begins with: of the sizes that are asked for and that the limits allow, the
/// largest one for which there are slots.
std::variant<core::Group, Refused> plan_first_world(const core::SizeRange& ranks,
                                                    const core::Allocation& allocation,
                                                    const Limits& limits);

}  // namespace ductile::broker
