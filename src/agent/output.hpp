// The output of the ranks of this host. Whole lines go from the ranks' pipes to the broker's stream
// connection, at the speed of the reader. For a person at a terminal, parts of lines go there, too.
// When the broker is gone, whole lines go to a bounded file.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "agent/host_service.hpp"
#include "agent/lines.hpp"
#include "agent/output_file.hpp"
#include "core/partial_lines.hpp"
#include "os/job_timer.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

/// Host service: carries the output of the ranks.
class Output : public HostService {
  public:
    /// `on_change`: called when a pipe has ended or the queue is empty; see finished().
    /// `on_wanted`: called when a rank has written something, and there is no channel.
    Output(asio::io_context& io, core::PartialLines partial, std::function<void()> on_change,
           std::function<void()> on_wanted)
        : io_(io),
          partial_(partial),
          on_change_(std::move(on_change)),
          on_wanted_(std::move(on_wanted)) {}

    /// Takes the rank's pipes.
    void started(StartedRank& rank) override;
    /// Reads the pipes of the group for at most 2 s more, or longer if the reader is slow. Then it
    /// closes them, even if another process holds them open.
    void group_ended(core::GroupId group) override;

    /// Without a channel, and without a file (see divert()), pipes are not read. Ranks that write
    /// much then wait.
    void attach(std::shared_ptr<wire::Channel> channel);
    void detach();
    [[nodiscard]] bool attached() const { return channel_ != nullptr; }
    /// Nobody reads the output any more: writes it to this file from now on, until attach().
    void divert(const std::string& path);
    /// Call this when the channel has drained: reading continues.
    void drained();

    /// Nothing is left to read or to send.
    [[nodiscard]] bool finished() const;

  private:
    struct Pipe : std::enable_shared_from_this<Pipe> {
        Pipe(asio::io_context& io, int fd) : source(io, fd), timer(io), partial_timer(io) {}
        core::GroupId group;
        core::Rank rank;
        int stream = 1;
        asio::posix::stream_descriptor source;
        os::JobTimer timer, partial_timer;
        Lines lines{64u << 10};
        LineEnd line_end = LineEnd::newline;
        bool waiting = false, gone = false;
        bool partial_waits = false;  ///< the partial_timer runs
    };
    void add(const core::Process& who, int stream, os::Fd pipe);
    [[nodiscard]] bool may_read() const;
    void wait(const std::shared_ptr<Pipe>& pipe);
    void read(const std::shared_ptr<Pipe>& pipe);
    void take(const std::shared_ptr<Pipe>& pipe, std::string_view bytes);
    void pass_partial_on_later(const std::shared_ptr<Pipe>& pipe);
    void last_look(const std::shared_ptr<Pipe>& pipe);
    void end(const std::shared_ptr<Pipe>& pipe);
    void pass_on(const Pipe& pipe, std::string data);

    asio::io_context& io_;
    core::PartialLines partial_;
    std::function<void()> on_change_, on_wanted_;
    std::list<std::shared_ptr<Pipe>> pipes_;
    std::shared_ptr<wire::Channel> channel_;
    std::unique_ptr<OutputFile> file_;
};

}  // namespace ductile::agent
