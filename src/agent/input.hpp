// The job's standard input, on its way from the broker to a rank's pipe.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <memory>
#include <string>

#include "wire/channel.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

/// Until a rank has been given the pipe, and while the rank reads slowly, the channel is not read.
/// A rank that closes its standard input loses nothing but the rest.
class Input {
  public:
    explicit Input(asio::io_context& io) : pipe_(io) {}

    /// The read end for the rank's standard input. Precondition: called once in the agent's life
    /// for each group with input; a second call ends the first pipe.
    wire::Fd open();
    void attach(std::shared_ptr<wire::Channel> channel);
    /// Data from the broker; empty: standard input is at its end.
    void give(const std::string& data);
    /// The rank is gone or the broker is: the pipe ends after what is waiting.
    void finish();

  private:
    void write();
    void settle();
    void wait();

    asio::posix::stream_descriptor pipe_;
    std::shared_ptr<wire::Channel> channel_;
    std::string waiting_;
    bool at_end_ = false, started_ = false, writing_ = false;
};

}  // namespace ductile::agent
