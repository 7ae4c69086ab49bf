// The part of TOML that a study file may use. Some other texts must not reach toml++ up to 3.4,
// because its behaviour is undefined for them: headers such as "[[=" (pull request 301 of
// marzer/tomlplusplus), some lists in lists, "[}", characters that are not ASCII, and texts that
// begin like a date. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ductile::workload {

/// Throws InputError that begins with `file` and the line, if the text has, outside of strings and
/// comments, a header that is not [name] or [[name]], a list or a table in a list, a date or a
/// time, a string of several lines, or a character that is not printable ASCII.
void check_study_text(std::string_view text, const std::string& file);

}  // namespace ductile::workload
