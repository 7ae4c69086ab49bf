// Checks the options that a program gives its Job.
#pragma once

#include "ductile/options.hpp"
#include "ductile/schema.hpp"

namespace ductile {

/// Throws InputError if the options contradict each other or have values that are not allowed.
void check_options(const Options& options);

/// Throws InputError that names an array whose memory lacks a function.
void check_memory(const Schema& schema);

/// Throws InputError that names the limit if the options do not allow a job to start with `ranks`
/// ranks.
void check_size(const Options& options, int ranks);

}  // namespace ductile
