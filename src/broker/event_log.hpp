// What happened to a job, one JSON object a line: the source of the timeline, the page and the
// benches.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace ductile::broker {

/// Every record has "event" and "time_s" (seconds since the epoch). docs/events.md lists them.
class EventLog {
  public:
    /// Writes to no file when `path` is empty; `append`: behind what is there. Throws SystemError
    /// when it cannot be written.
    explicit EventLog(const std::string& path, bool append = false);
    /// A record that cannot be written is the last: said once on standard error.
    void record(const char* event, nlohmann::json fields);

  private:
    std::string path_;
    std::ofstream file_;
};

}  // namespace ductile::broker
