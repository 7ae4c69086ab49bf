// The phase of a resize in which a program written for MaM moves data of its own.
#pragma once

#include <functional>
#include <optional>

#include "ductile/compat/mam.h"
#include "ductile/schema.hpp"

namespace ductile::mam {

/// What a program passes to MAM_Init and to MAM_Checkpoint.
struct UserFunction {
    void (*call)(void*) = nullptr;  ///< null: none
    void* args = nullptr;
};

/// Calls the function until it has called MAM_Resume_redistribution: it may start messages in one
/// call and look for their end in later ones. Answers the seconds that it took. Throws Error when
/// the resize is given up meanwhile, which it looks for between calls.
double run_user_phase(UserFunction function, const DataMove& move,
                      const std::function<bool()>& is_given_up);

/// What MAM_Get_Reconf_Info tells the function; only on the thread that runs it.
std::optional<mam_user_reconf_t> reconf_info();
/// Ends the phase on this process. False: this thread runs no user function.
bool end_user_phase();

}  // namespace ductile::mam
