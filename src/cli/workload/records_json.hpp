// The records of one run of a workload, as the text of a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workload/records.hpp"

namespace ductile::cli {

[[nodiscard]] std::string records_text(const std::vector<workload::JobRecord>& records);
/// Throws InputError that begins with `file` if the text is not one that records_text() made.
[[nodiscard]] std::vector<workload::JobRecord> parse_records(std::string_view text,
                                                             const std::string& file);

}  // namespace ductile::cli
