// Whether options from code make sense.
#pragma once

#include "ductile/options.hpp"

namespace ductile {

/// Throws InputError that names the option.
void check_options(const Options& options);

/// Throws InputError that names the limit which a job that starts with `ranks` ranks does not keep.
void check_size(const Options& options, int ranks);

}  // namespace ductile
