// Carries the job's standard input from the broker to the pipe of a rank.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/host_service.hpp"
#include "core/layout.hpp"
#include "wire/channel.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

/// Stops reading the channel while much input waits: no rank has the pipe yet, or the rank reads
/// slowly. If a rank closes its standard input, the rest of the input is lost. Host service: closes
/// the pipe of a rank that has ended.
class Input : public HostService {
  public:
    /// `on_wanted`: called when a rank gets the pipe, and there is no channel.
    Input(asio::io_context& io, std::function<void()> on_wanted)
        : pipe_(io), on_wanted_(std::move(on_wanted)) {}

    /// Makes the pipe for this rank's standard input, and returns its read end. What an earlier
    /// rank has not read from its pipe is lost.
    os::Fd open(core::Process owner);
    void attach(std::shared_ptr<wire::Channel> channel);
    /// Takes data from the broker. Empty data: the end of standard input.
    void give(const std::string& data);
    /// No more input comes, for example because the broker is gone. The pipe ends after the input
    /// that waits.
    void finish();
    /// The rank is gone. If it had the pipe, the input that waits is lost, and the pipe is closed.
    void end_of(core::Process owner);
    void ended(const core::Process& who) override { end_of(who); }

  private:
    void write();
    void settle();
    void wait();

    asio::posix::stream_descriptor pipe_;
    std::function<void()> on_wanted_;
    std::shared_ptr<wire::Channel> channel_;
    std::optional<core::Process> owner_;
    std::string waiting_;
    bool at_end_ = false, started_ = false, writing_ = false;
};

}  // namespace ductile::agent
