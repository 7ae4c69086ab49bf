// The phase of a resize in which a program written for MaM moves its own data.
#pragma once

#include <functional>
#include <optional>

#include "ductile/compat/mam.h"
#include "ductile/schema.hpp"

namespace ductile::mam {

/// The function that a program passes to MAM_Init and to MAM_Checkpoint.
struct UserFunction {
    void (*call)(void*) = nullptr;  ///< null: none
    void* args = nullptr;
};

/// Calls the function until it calls MAM_Resume_redistribution. The function may start messages in
/// one call and check for their end in later calls. Returns the time in seconds. Throws Error if
/// the resize is given up, which is checked between two calls.
double run_user_phase(UserFunction function, const DataMove& move,
                      const std::function<bool()>& is_given_up);

/// The information of MAM_Get_Reconf_Info for the function. Returns nullopt on a thread that runs
/// no such function.
std::optional<mam_user_reconf_t> reconf_info();
/// Ends the phase on this process. False: this thread runs no user function.
bool end_user_phase();

}  // namespace ductile::mam
