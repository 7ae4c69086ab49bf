/// \file
/// The whole public interface of Ductile for C++.
///
/// \namespace ductile
/// The C++ interface of Ductile.
#pragma once

#include "ductile/distributed.hpp"
#include "ductile/distribution.hpp"
#include "ductile/error.hpp"
#include "ductile/job.hpp"
#include "ductile/options.hpp"
#include "ductile/process_group.hpp"
#include "ductile/ragged.hpp"
#include "ductile/records.hpp"
#include "ductile/replicated.hpp"
#include "ductile/resize_answer.hpp"
#include "ductile/resized.hpp"
#include "ductile/schema.hpp"
