// Serves the requests of `ductile resize`, `ductile status` and other commands, on a Unix socket of
// the user.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "broker/asker.hpp"
#include "wire/request_messages.hpp"

namespace ductile::broker {

class RequestServer {
  public:
    using OnRequest = std::function<void(const wire::Request&, const AskingCommand&)>;

    /// Listens at `path` (its directory has mode 0700). Serves only the same user (SO_PEERCRED).
    /// Refuses a malformed request with the reason. A request whose command has ended before this
    /// process could read it is not carried out.
    RequestServer(asio::io_context& io, const std::string& path, OnRequest on_request);
    ~RequestServer();
    /// Returns true once, if the socket was removed, so that commands cannot find it any more.
    [[nodiscard]] bool has_vanished();
    RequestServer(const RequestServer&) = delete;
    RequestServer& operator=(const RequestServer&) = delete;

  private:
    struct Listener;
    std::shared_ptr<Listener> listener_;
    bool was_missed_ = false;
};

}  // namespace ductile::broker
