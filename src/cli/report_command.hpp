// `ductile report`: the page of a job, from its event records.
#pragma once

#include <string>
#include <vector>

#include "cli/app_declared.hpp"

namespace ductile::cli {

void add_report_command(CLI::App& app, int& exit_code);

/// The text of the charting library that goes into the page. If the library is not installed beside
/// Ductile, throws SystemError that says how to get the library.
std::string charting_library();

/// Writes the file `page`: the charts of the file `events`, and a picture of each of the files
/// `fields`. Throws InputError if one of these files cannot be read or has wrong content. Throws
/// SystemError if the page cannot be written, or if there is no charting library.
void write_report(const std::string& events, const std::vector<std::string>& fields,
                  const std::string& page);

}  // namespace ductile::cli
