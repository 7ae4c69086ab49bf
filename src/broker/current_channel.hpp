// The connection that an agent has at the moment. A new one takes the place of the one before.
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

    /// Starts the channel. Nothing is heard of the one before any more. The functions keep this
    /// object alive.
    void replace(std::shared_ptr<wire::Channel> channel, OnMessage on_message, OnClosed on_closed);
    /// `on_closed` is not called.
    void end(const std::string& why);

    /// Null: there is none.
    [[nodiscard]] wire::Channel* get() const { return channel_.get(); }

  private:
    std::shared_ptr<wire::Channel> channel_;
};

}  // namespace ductile::broker
