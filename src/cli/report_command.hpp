// `ductile report`: the page of a job, from its event records.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ductile::cli {

void add_report_command(CLI::App& app, int& exit_code);

/// The text of the charting library that goes into the page. Throws SystemError with the cure when
/// it was not there when Ductile was built.
std::string charting_library();

/// Writes the page, with pictures of these fields. Throws InputError for files that cannot be read
/// or are not what they should be, SystemError when the page cannot be written.
void write_report(const std::string& events, const std::vector<std::string>& fields,
                  const std::string& page);

}  // namespace ductile::cli
