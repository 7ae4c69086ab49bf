// The standard streams of the job: output to the console, input to rank 0.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <string>

#include "broker/console_input.hpp"
#include "broker/console_lines.hpp"
#include "broker/console_output.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::broker {

class JobStreams {
  public:
    struct Ports {
        std::function<void(bool)> pause_output;              ///< of all agents
        std::function<void(int)> output_broken;              ///< with errno
        std::function<void(const std::string&)> send_input;  ///< to rank 0's agent; empty: the end
        /// Bytes that wait to be sent to rank 0's agent; none if there is no rank 0.
        std::function<std::optional<std::size_t>()> input_queued;
    };
    /// `has_input`: rank 0 gets the input.
    JobStreams(asio::io_context& io, Ports ports, ConsoleLines::Setup console, bool has_input);

    void begin();
    void print(const wire::Output& output);
    /// Writes a message of Ductile to stderr.
    void notify_user(const std::string& text);
    /// Reads more input when rank 0 has room for it.
    void pull_input();
    [[nodiscard]] bool has_input() const { return has_input_; }
    void drain() { output_.drain(10); }
    /// See ConsoleOutput::drop_held().
    void drop_held() { output_.drop_held(); }

  private:
    void on_input(const std::string& data);

    Ports ports_;
    ConsoleOutput output_;
    ConsoleInput input_;
    ConsoleLines lines_;
    bool has_input_;
    bool input_asked_ = false;
};

}  // namespace ductile::broker
