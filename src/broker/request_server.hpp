// Where `ductile resize` and `ductile status` ask: a Unix socket of the user's alone.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "wire/request_messages.hpp"

namespace ductile::broker {

class RequestServer {
  public:
    /// Sends one reply; `last` closes the connection after it. Harmless when the asker is gone.
    using Respond = std::function<void(const wire::Reply& reply, bool last)>;
    using OnRequest = std::function<void(const wire::Request&, const Respond&)>;

    /// Listens at `path` (its directory is 0700). Only the same user is served (SO_PEERCRED). A
    /// request that is not understood is refused with the reason.
    RequestServer(asio::io_context& io, const std::string& path, OnRequest on_request);
    ~RequestServer();
    /// True once: the socket is not in its place any more, so that askers do not find it.
    [[nodiscard]] bool has_vanished();
    RequestServer(const RequestServer&) = delete;
    RequestServer& operator=(const RequestServer&) = delete;

  private:
    struct Listener;
    std::shared_ptr<Listener> listener_;
    bool was_missed_ = false;
};

}  // namespace ductile::broker
