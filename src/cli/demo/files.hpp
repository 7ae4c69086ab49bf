// Reads and compares the fields that the program of the demo writes.
#pragma once

#include <cstdint>
#include <string>

namespace ductile::cli::demo {

/// SHA-256 in hexadecimal. Throws SystemError when the file cannot be read.
std::string sha256(const std::string& path);

/// Whether two files have the same bytes. Compares byte by byte. Throws SystemError.
bool same_bytes(const std::string& one, const std::string& other);

/// The number of steps after which a field was written (apps/heat/field_file.hpp). Throws
/// SystemError.
std::int64_t field_step(const std::string& path);

}  // namespace ductile::cli::demo
