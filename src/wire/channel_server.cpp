#include <asio/ip/address.hpp>
#include <list>
#include <memory>

#include "wire/agent_messages.hpp"
#include "wire/tls_stream.hpp"

namespace ductile::wire {

namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr auto patience_when_full = std::chrono::seconds(1);
constexpr auto pause_after_error = std::chrono::milliseconds(100);

struct Handshake {
    std::unique_ptr<Channel::Stream> stream;
    std::string peer;
    Clock::time_point since;
};

}  // namespace

struct ChannelServer::Listener : std::enable_shared_from_this<Listener> {
    Listener(asio::io_context& io, FindSecret find, OnChannel handler, ServerLimits with)
        : acceptor(io),
          retry(io),
          context(std::make_shared<TlsContext>(std::move(find))),
          on_channel(std::move(handler)),
          limits(with) {}

    void listen(const std::string& address, int port);
    void accept();
    void begin(tcp::socket socket);
    void done(const std::shared_ptr<Handshake>& handshake, const asio::error_code& error);
    void accept_later(Clock::duration delay);
    void close();

    tcp::acceptor acceptor;
    asio::steady_timer retry;
    std::shared_ptr<TlsContext> context;
    OnChannel on_channel;
    ServerLimits limits;
    std::list<std::shared_ptr<Handshake>> handshakes;  // oldest first
    bool accepting = false, closed = false;
};

void ChannelServer::Listener::listen(const std::string& address, int port) {
    asio::error_code error;
    const auto where = asio::ip::make_address(address, error);
    const auto fail = [&](const char* what) {
        if (error)
            throw SystemError(std::string("cannot listen on ") + address + " port " +
                              std::to_string(port) + " (" + what + ": " + error.message() + ")");
    };
    fail("not a numeric address");
    const tcp::endpoint endpoint(where, static_cast<unsigned short>(port));
    acceptor.open(endpoint.protocol(), error);
    fail("socket");
    acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    acceptor.bind(endpoint, error);
    fail("bind");
    acceptor.listen(1024, error);
    fail("listen");
}

void ChannelServer::Listener::accept() {
    if (accepting || closed) return;
    if (handshakes.size() >= limits.half_open) {
        const auto age = Clock::now() - handshakes.front()->since;
        if (age < patience_when_full) return accept_later(patience_when_full - age);
        asio::error_code ignored;
        handshakes.front()->stream->tls.next_layer().close(ignored);  // its handler removes it
        return accept_later(std::chrono::milliseconds(1));
    }
    accepting = true;
    acceptor.async_accept(
        [self = shared_from_this()](const asio::error_code& error, tcp::socket socket) {
            self->accepting = false;
            if (self->closed) return;
            if (error) return self->accept_later(pause_after_error);  // out of descriptors, say
            self->begin(std::move(socket));
            self->accept();
        });
}

void ChannelServer::Listener::accept_later(Clock::duration delay) {
    retry.expires_after(delay);
    retry.async_wait([self = shared_from_this()](const asio::error_code& error) {
        if (!error) self->accept();
    });
}

void ChannelServer::Listener::begin(tcp::socket socket) {
    asio::error_code error;
    socket.set_option(tcp::no_delay(true), error);
    const auto peer = socket.remote_endpoint(error);
    if (error) return;
    auto handshake = std::make_shared<Handshake>(
        Handshake{std::make_unique<Channel::Stream>(std::move(socket), context),
                  peer.address().to_string(), Clock::now()});
    handshakes.push_back(handshake);
    auto& stream = *handshake->stream;
    stream.timer.expires_after(limits.handshake);
    stream.timer.async_wait([handshake](const asio::error_code& stopped) {
        asio::error_code ignored;
        if (!stopped && handshake->stream) handshake->stream->tls.next_layer().close(ignored);
    });
    stream.tls.async_handshake(
        asio::ssl::stream_base::server,
        [self = shared_from_this(), handshake](const asio::error_code& failed) {
            self->done(handshake, failed);
        });
}

void ChannelServer::Listener::done(const std::shared_ptr<Handshake>& handshake,
                                   const asio::error_code& error) {
    handshakes.remove(handshake);
    auto stream = std::move(handshake->stream);  // its timer finds nothing to cut any more
    stream->timer.cancel();
    const bool good =
        !error && psk::used(stream->tls.native_handle()) && stream->accepted.identity && !closed;
    if (good) {
        const auto accepted = stream->accepted;
        auto channel =
            std::make_shared<Channel>(std::move(stream), limits.channel, handshake->peer);
        if (accepted.refusal.empty()) {
            on_channel(std::move(channel), *accepted.identity);
        } else {
            channel->start();
            channel->send(ToAgent{EndJob{accepted.refusal}});
            channel->close();
        }
    }
    if (!closed) accept();
}

void ChannelServer::Listener::close() {
    closed = true;
    asio::error_code ignored;
    acceptor.close(ignored);
    retry.cancel();
    for (auto& handshake : handshakes) handshake->stream->tls.next_layer().close(ignored);
}

ChannelServer::ChannelServer(asio::io_context& io, const std::string& address, int port,
                             FindSecret find, OnChannel on_channel, ServerLimits limits)
    : listener_(std::make_shared<Listener>(io, std::move(find), std::move(on_channel), limits)) {
    listener_->listen(address, port);
    listener_->accept();
}

ChannelServer::~ChannelServer() {
    close();
}

int ChannelServer::port() const {
    asio::error_code error;
    return listener_->acceptor.local_endpoint(error).port();
}

void ChannelServer::close() {
    listener_->close();
}

}  // namespace ductile::wire
