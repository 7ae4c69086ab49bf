// The words of a command that a user gives as one text.
#pragma once

#include <string>
#include <vector>

namespace ductile::cli {

/// Splits a template such as "ssh -p 22 {host} {command}" into words. Quotes and backslashes work
/// as in a shell. Throws InputError if a quote is not closed.
std::vector<std::string> split_words(const std::string& text);

}  // namespace ductile::cli
