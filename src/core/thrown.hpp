// The text of an exception of any type that the program threw.
#pragma once

#include <exception>
#include <string>

namespace ductile::core {

/// The text of the exception that is being handled.
inline std::string text_of_thrown() {
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception of unknown type";
    }
}

}  // namespace ductile::core
