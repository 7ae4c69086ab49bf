// The current connection of an agent. A new connection replaces the one before.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "wire/channel.hpp"

namespace ductile::broker {

class CurrentChannel {
  public:
    using OnMessage = std::function<void(const wire::Message&)>;
    using OnClosed = std::function<void(const std::string& why)>;

    /// Starts the channel and ends the one before, whose functions are not called any more. The
    /// functions must keep this object alive.
    void replace(std::shared_ptr<wire::Channel> channel, OnMessage on_message, OnClosed on_closed);
    /// Ends the channel without a call of `on_closed`.
    void end(const std::string& why);

    /// Null if there is no channel.
    [[nodiscard]] wire::Channel* get() const { return channel_.get(); }

  private:
    std::shared_ptr<wire::Channel> channel_;
};

}  // namespace ductile::broker
