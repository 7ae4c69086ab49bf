// What the ranks of this host write: from their pipes to the broker's stream connection, whole
// lines, at the reader's speed; into a bounded file once the broker is gone.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "agent/host_service.hpp"
#include "agent/lines.hpp"
#include "agent/output_file.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

/// Host service: what ranks write is carried on.
class Output : public HostService {
  public:
    /// `on_change`: a pipe has ended or the queue has emptied; see finished(). `on_wanted`: a rank
    /// has written something, and there is no channel.
    Output(asio::io_context& io, std::function<void()> on_change, std::function<void()> on_wanted)
        : io_(io), on_change_(std::move(on_change)), on_wanted_(std::move(on_wanted)) {}

    /// Takes the rank's pipes.
    void started(StartedRank& rank) override;
    /// The group's pipes are read out for at most 2 s more (longer only when the reader is slow),
    /// though a stranger may hold them open.
    void group_ended(core::GroupId group) override;

    /// Without a channel pipes are not read; ranks that write much wait then.
    void attach(std::shared_ptr<wire::Channel> channel);
    void detach();
    [[nodiscard]] bool attached() const { return channel_ != nullptr; }
    /// No broker will ever read: from now on into this file.
    void divert(const std::string& path);
    /// Reading may go on: to be called when the channel has drained.
    void drained();

    /// Nothing is left to read or to send.
    [[nodiscard]] bool finished() const;

  private:
    struct Pipe : std::enable_shared_from_this<Pipe> {
        Pipe(asio::io_context& io, int fd) : source(io, fd), timer(io) {}
        core::GroupId group;
        core::Rank rank;
        int stream = 1;
        asio::posix::stream_descriptor source;
        asio::steady_timer timer;
        Lines lines{64u << 10};
        bool waiting = false, gone = false;
    };
    void add(const core::Process& who, int stream, os::Fd pipe);
    [[nodiscard]] bool may_read() const;
    void wait(const std::shared_ptr<Pipe>& pipe);
    void read(const std::shared_ptr<Pipe>& pipe);
    void last_look(const std::shared_ptr<Pipe>& pipe);
    void end(const std::shared_ptr<Pipe>& pipe);
    void pass_on(const Pipe& pipe, std::string data);

    asio::io_context& io_;
    std::function<void()> on_change_, on_wanted_;
    std::list<std::shared_ptr<Pipe>> pipes_;
    std::shared_ptr<wire::Channel> channel_;
    std::unique_ptr<OutputFile> file_;
};

}  // namespace ductile::agent
