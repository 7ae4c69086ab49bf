#include "broker/event_log.hpp"

#include <chrono>

#include "ductile/error.hpp"

namespace ductile::broker {

EventLog::EventLog(const std::string& path) {
    if (path.empty()) return;
    file_.open(path, std::ios::trunc);
    if (!file_) throw SystemError("cannot write events to " + path);
}

void EventLog::record(const char* event, nlohmann::json fields) {
    if (!file_.is_open()) return;
    fields["event"] = event;
    fields["time_s"] =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    file_ << fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n'
          << std::flush;
}

}  // namespace ductile::broker
