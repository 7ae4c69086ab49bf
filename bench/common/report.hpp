// A benchmark's result as a table for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/options.hpp"
#include "common/row.hpp"

namespace ductile::bench {

struct Report {
    std::string question;
    std::vector<Row> rows;
    nlohmann::json options;  ///< the options of the run
    nlohmann::json details;  ///< further results: phases, failures
};

/// {"rows": [{"case", "measure", "ours", "other", "ratio", ...}], "machine", "versions", ...}.
/// Times are in seconds.
nlohmann::json to_json(const Report& report);
std::string to_table(const Report& report);

/// Prints the table and writes the JSON where the options say so. Throws SystemError when the file
/// cannot be written.
void publish(const Report& report, const Options& options);

}  // namespace ductile::bench
