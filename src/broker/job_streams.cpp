#include "broker/job_streams.hpp"

#include <unistd.h>

#include "wire/printable.hpp"

namespace ductile::broker {

namespace {

constexpr std::size_t most_queued_bytes = 256u << 10;

}  // namespace

JobStreams::JobStreams(asio::io_context& io, Ports ports, ConsoleLines::Setup console,
                       bool has_input)
    : ports_(std::move(ports)),
      output_(
          io, [this](bool full) { ports_.pause_output(full); },
          [this](int error) { ports_.output_broken(error); }),
      input_(io),
      lines_(console),
      has_input_(has_input) {}

void JobStreams::begin() {
    if (has_input_) input_.read([this](const std::string& data) { on_input(data); });
}

void JobStreams::print(const wire::Output& output) {
    output_.write(output.stream,
                  lines_.of_rank({output.group, output.rank}, output.stream, output.data));
}

void JobStreams::notify_user(const std::string& text) {
    output_.write(2, lines_.of_ductile(2, "ductile: " + wire::printable(text) + "\n"));
}

void JobStreams::pull_input() {
    if (!has_input_ || input_asked_) return;
    const auto queued = ports_.input_queued();
    if (!queued || *queued > most_queued_bytes) return;
    input_asked_ = true;
    input_.more();
}

void JobStreams::on_input(const std::string& data) {
    input_asked_ = false;
    if (data.ends_with('\n') && ConsoleOutput::is_terminal(STDIN_FILENO)) lines_.end_lines();
    ports_.send_input(data);
    has_input_ = has_input_ && !data.empty();
    pull_input();
}

}  // namespace ductile::broker
