// Whether what a program says of its Job makes sense.
#pragma once

#include "ductile/options.hpp"
#include "ductile/schema.hpp"

namespace ductile {

/// Throws InputError that names the option.
void check_options(const Options& options);

/// Throws InputError that names an array whose memory lacks a function.
void check_memory(const Schema& schema);

/// Throws InputError that names the limit which a job that starts with `ranks` ranks does not keep.
void check_size(const Options& options, int ranks);

}  // namespace ductile
