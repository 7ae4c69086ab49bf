// What a call of the program has thrown, whatever its type.
#pragma once

#include <exception>
#include <string>

namespace ductile::core {

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

}  // namespace ductile::core
