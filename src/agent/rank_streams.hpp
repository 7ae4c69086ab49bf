// The standard streams of this host's ranks, and their connection to the broker.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "agent/input.hpp"
#include "agent/output.hpp"
#include "agent/stream_link.hpp"

namespace ductile::agent {

class RankStreams {
  public:
    /// `on_change`: called when the result of has_finished() may have changed.
    RankStreams(asio::io_context& io, const Bootstrap& bootstrap, wire::AgentHello hello,
                std::function<void()> on_change)
        : output_(io, bootstrap.partial, std::move(on_change), [this] { link_.want(); }),
          input_(io, [this] { link_.want(); }),
          link_(io, bootstrap, std::move(hello), output_, input_) {}

    [[nodiscard]] HostServices services() { return {&output_, &input_}; }
    [[nodiscard]] Input& input() { return input_; }

    void broker_found(std::vector<std::string> addresses) {
        link_.may_connect_to(std::move(addresses));
    }
    /// The broker is gone: the output of the ranks goes to this file.
    void broker_lost(const std::string& path) {
        link_.stop();
        input_.finish();
        output_.divert(path);
    }
    /// Nobody will read the output: it goes to this file instead.
    void divert(const std::string& path) { output_.divert(path); }
    [[nodiscard]] bool has_reader() const { return output_.attached(); }
    /// Nothing is left to read or to send.
    [[nodiscard]] bool has_finished() const { return output_.finished(); }
    /// Says goodbye after the last output, and closes the connection. Then calls `done`.
    void finish(std::function<void()> done) { link_.finish(std::move(done)); }

  private:
    Output output_;
    Input input_;
    StreamLink link_;
};

}  // namespace ductile::agent
