// What a call of the program has thrown, whatever its type.
#pragma once

#include <exception>
#include <string>

#include "ductile/error.hpp"

namespace ductile::engine {

/// Of the exception that is being handled.
inline std::string text_of_thrown() {
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception of unknown type";
    }
}

/// Within `catch (...)`: throws ProgramFailed with the text of what was caught.
[[noreturn]] inline void throw_program_failed(const std::string& what) {
    throw ProgramFailed(what + " failed: " + text_of_thrown());
}

}  // namespace ductile::engine
