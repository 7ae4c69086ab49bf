#include "rms/line_program.hpp"

#include <chrono>
#include <csignal>
#include <utility>

namespace ductile::rms {

namespace {

constexpr std::size_t max_unread_bytes = std::size_t{1} << 20;
constexpr auto end_within = std::chrono::seconds(2);

std::vector<std::string> in_directory(std::vector<std::string> command,
                                      const std::string& directory) {
    if (!directory.empty()) command.insert(command.begin(), {"/usr/bin/env", "-C", directory});
    return command;
}

std::string to_text(const ChildEnd& end, const std::string& errors) {
    return (end.signalled ? "signal " : "exit code ") + std::to_string(end.code) +
           (errors.empty() ? "" : ": " + errors);
}

}  // namespace

LineProgram::LineProgram(asio::io_context& io, std::vector<std::string> command,
                         const std::string& directory, Events events)
    : events_(std::move(events)),
      child_(io, in_directory(std::move(command), directory), current_environment(),
             {[this](std::string_view piece) {
                  const auto on_output = events_.on_output;  // it may destroy *this
                  on_output(piece);
              },
              [this](std::string_view piece) { errors_.add(piece); },
              [this](const ChildEnd& end) {
                  const auto on_end = events_.on_end;  // it may destroy *this
                  on_end(to_text(end, errors_.text()));
              }}) {}

LineProgram::~LineProgram() {
    child_.finish(end_within);
}

void LineProgram::send(const std::string& line) {
    child_.write(line + "\n");
    if (child_.unread() > max_unread_bytes) kill();
}

void LineProgram::kill() {
    child_.signal(SIGKILL);
}

}  // namespace ductile::rms
