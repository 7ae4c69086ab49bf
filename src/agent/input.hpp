// The job's standard input, on its way from the broker to a rank's pipe.
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

/// Until a rank has been given the pipe, and while the rank reads slowly, the channel is not read.
/// A rank that closes its standard input loses nothing but the rest. Host service: the pipe of a
/// rank that has ended is closed.
class Input : public HostService {
  public:
    /// `on_wanted`: a rank has been given the pipe, and there is no channel.
    Input(asio::io_context& io, std::function<void()> on_wanted)
        : pipe_(io), on_wanted_(std::move(on_wanted)) {}

    /// The read end for this rank's standard input. What an earlier rank has not read is lost.
    os::Fd open(core::Process owner);
    void attach(std::shared_ptr<wire::Channel> channel);
    /// Data from the broker; empty: standard input is at its end.
    void give(const std::string& data);
    /// The broker is gone: the pipe ends after what is waiting.
    void finish();
    /// The rank is gone. If it had the pipe, what is waiting goes with it; another one may get one.
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
