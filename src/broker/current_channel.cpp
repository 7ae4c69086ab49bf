#include "broker/current_channel.hpp"

#include <utility>

namespace ductile::broker {

void CurrentChannel::replace(std::shared_ptr<wire::Channel> channel, OnMessage on_message,
                             OnClosed on_closed) {
    end("replaced by a new connection");
    channel_ = std::move(channel);
    channel_->on_message = [this, self = channel_.get(),
                            tell = std::move(on_message)](const wire::Message& encoded) {
        if (channel_.get() == self) tell(encoded);
    };
    channel_->on_closed = [this, self = channel_.get(), tell = std::move(on_closed)](
                              const std::string& why, wire::Ending) {
        if (channel_.get() != self) return;
        channel_.reset();
        tell(why);
    };
    channel_->start();
}

void CurrentChannel::end(const std::string& why) {
    if (const auto channel = std::exchange(channel_, nullptr)) channel->fail(why);
}

}  // namespace ductile::broker
