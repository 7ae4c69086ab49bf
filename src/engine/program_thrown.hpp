// A call of the program has thrown something, whatever its type.
#pragma once

#include <string>

#include "core/thrown.hpp"
#include "ductile/error.hpp"

namespace ductile::engine {

/// Within `catch (...)`: throws ProgramFailed with the text of what was caught.
[[noreturn]] inline void throw_program_failed(const std::string& what) {
    throw ProgramFailed(what + " failed: " + core::text_of_thrown());
}

}  // namespace ductile::engine
