// Whether options from code make sense.
#pragma once

#include "ductile/options.hpp"

namespace ductile {

/// Throws InputError that names the option.
void check_options(const Options& options);

}  // namespace ductile
