// The TLS connection of a channel. Private to the channel's sources.
#pragma once

#include <asio/ip/tcp.hpp>
#include <asio/ssl.hpp>
#include <asio/steady_timer.hpp>
#include <memory>

#include "wire/channel.hpp"

namespace ductile::wire {

/// A TLS context with the data that its callbacks use.
struct TlsContext {
    explicit TlsContext(FindSecret find)
        : context(asio::ssl::context::tls_server), find_secret(std::move(find)) {
        psk::make_server(context.native_handle(), &find_secret);
    }
    explicit TlsContext(psk::Client offered)
        : context(asio::ssl::context::tls_client), client(std::move(offered)) {
        psk::make_client(context.native_handle(), &client);
    }
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;
    ~TlsContext() = default;

    asio::ssl::context context;
    FindSecret find_secret;
    psk::Client client;
};

/// ChannelLimits::unacknowledged of this connection.
void limit_unacknowledged(asio::ip::tcp::socket& socket, std::chrono::milliseconds limit);

struct Channel::Stream {
    Stream(asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> with)
        : context(std::move(with)),
          tls(std::move(socket), context->context),
          timer(tls.get_executor()) {
        psk::attach(tls.native_handle(), &accepted);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() = default;

    std::shared_ptr<TlsContext> context;
    psk::Accepted accepted;
    asio::ssl::stream<asio::ip::tcp::socket> tls;
    asio::steady_timer timer;
    std::array<char, 65536> buffer{};
};

}  // namespace ductile::wire
