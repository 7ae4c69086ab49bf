// The classes and jobs of a study, as text for people.
#pragma once

#include <string>

#include "workload/study.hpp"

namespace ductile::cli {

[[nodiscard]] std::string plan_text(const workload::Study& study);

}  // namespace ductile::cli
