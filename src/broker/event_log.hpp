// The events of a job, one JSON object a line, for `ductile report`, `ductile calibrate` and the
// benchmarks.
#pragma once

#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "broker/event_fields.hpp"

namespace ductile::broker {

/// Every record has "event" and "time_s" (seconds since the epoch). docs/events.md lists the
/// records.
class EventLog {
  public:
    /// If `path` is empty, writes no file. `append`: keeps the content of the file. Throws
    /// SystemError if the file cannot be written.
    explicit EventLog(const std::string& path, bool append = false);
    /// Writes a record. If this fails, reports it on standard error and writes no more records.
    void record(const char* event, const EventFields& fields);
    /// Does the same as record(). `fields` is a JSON object.
    void record_object(const char* event, nlohmann::json fields);

  private:
    std::string path_;
    std::ofstream file_;
};

}  // namespace ductile::broker
