#include "broker/event_log.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::broker {

EventLog::EventLog(const std::string& path, bool append) : path_(path) {
    if (path.empty()) return;
    file_.open(path, append ? std::ios::app : std::ios::trunc);
    if (!file_) throw SystemError("cannot write events to " + path + ": " + std::strerror(errno));
}

void EventLog::record(const char* event, const EventFields& fields) {
    auto object = nlohmann::json::object();
    for (const auto& [name, value] : fields)
        std::visit([&, &key = name](const auto& one) { object[key] = one; }, value);
    record_object(event, std::move(object));
}

void EventLog::record_object(const char* event, nlohmann::json fields) {
    if (!file_.is_open()) return;
    fields["event"] = event;
    fields["time_s"] =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    file_ << fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n'
          << std::flush;
    if (file_) return;
    std::cerr << "ductile: events are not recorded any more: " << path_ << ": "
              << std::strerror(errno) << "\n";
    file_.close();
}

}  // namespace ductile::broker
