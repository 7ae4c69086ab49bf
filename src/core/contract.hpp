// Preconditions and postconditions, as headers state them. They are checked in builds without
// NDEBUG (presets `dev` and `asan`): one that does not hold ends the process with a line that names
// it. What comes from outside - a user, a file, another process - is never checked by them.
#pragma once

namespace ductile::core {

/// Ends the process by abort(), after a line on the standard error.
[[noreturn]] void end_for_contract(const char* kind, const char* condition, const char* file,
                                   int line);

}  // namespace ductile::core

#ifdef NDEBUG
#define DUCTILE_CONTRACT(kind, condition) static_cast<void>(sizeof(!(condition)))
#else
#define DUCTILE_CONTRACT(kind, condition) \
    ((condition) ? static_cast<void>(0)   \
                 : ::ductile::core::end_for_contract(kind, #condition, __FILE__, __LINE__))
#endif

/// What the caller must see to.
#define DUCTILE_EXPECT(condition) DUCTILE_CONTRACT("precondition", condition)
/// What the function gives.
#define DUCTILE_ENSURE(condition) DUCTILE_CONTRACT("postcondition", condition)
