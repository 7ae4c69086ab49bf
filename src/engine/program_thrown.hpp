// A function of the program has thrown something, of any type.
#pragma once

#include <string>

#include "core/thrown.hpp"
#include "ductile/error.hpp"

namespace ductile::engine {

/// To be called within `catch (...)`: throws ProgramFailed with the text of the caught exception.
[[noreturn]] inline void throw_program_failed(const std::string& what) {
    throw ProgramFailed(what + " failed: " + core::text_of_thrown());
}

}  // namespace ductile::engine
