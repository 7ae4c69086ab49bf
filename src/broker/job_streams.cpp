#include "broker/job_streams.hpp"

#include <fmt/format.h>

#include "wire/printable.hpp"

namespace ductile::broker {

namespace {

constexpr std::size_t most_queued_bytes = 256u << 10;

}  // namespace

JobStreams::JobStreams(asio::io_context& io, Ports ports, bool tag, bool has_input)
    : ports_(std::move(ports)),
      output_(
          io, [this](bool full) { ports_.pause_output(full); },
          [this](int error) { ports_.output_broken(error); }),
      input_(io),
      tag_(tag),
      has_input_(has_input) {}

void JobStreams::begin() {
    if (has_input_) input_.read([this](const std::string& data) { on_input(data); });
}

void JobStreams::print(const wire::Output& output) {
    if (!tag_) return output_.write(output.stream, output.data);
    const std::string tag = fmt::format("[g{}.{}] ", output.group.value, output.rank.value);
    std::string tagged;
    for (std::size_t at = 0; at < output.data.size();) {
        const auto end = output.data.find('\n', at);
        const auto next = end == std::string::npos ? output.data.size() : end + 1;
        tagged += tag;
        tagged.append(output.data, at, next - at);
        at = next;
    }
    output_.write(output.stream, std::move(tagged));
}

void JobStreams::notify_user(const std::string& text) {
    output_.write(2, "ductile: " + wire::printable(text) + "\n");
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
    ports_.send_input(data);
    has_input_ = has_input_ && !data.empty();
    pull_input();
}

}  // namespace ductile::broker
