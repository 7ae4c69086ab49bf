#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <asio/ip/address.hpp>
#include <asio/ip/v6_only.hpp>
#include <list>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "wire/agent_messages.hpp"
#include "wire/tls_hello.hpp"
#include "wire/tls_stream.hpp"

namespace ductile::wire {

namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr auto patience_when_full = std::chrono::seconds(1);
constexpr auto pause_after_error = std::chrono::milliseconds(100);
// Unauthenticated peers that reconnect after each drop must not keep the event loop busy.
constexpr auto pause_after_drop = std::chrono::milliseconds(1);

/// A peer that has connected, and has not sent all of a ClientHello yet.
struct Quiet {
    Quiet(tcp::socket of, std::string from)
        : socket(std::move(of)), address(std::move(from)), timer(socket.get_executor()) {}

    void drop() {
        asio::error_code ignored;
        timer.cancel();
        socket.close(ignored);
    }

    tcp::socket socket;
    std::string address;
    std::string bytes;
    std::array<char, 2048> buffer{};
    asio::steady_timer timer;
};

struct Handshake {
    std::unique_ptr<Channel::Stream> stream;
    std::string peer;
    std::string hello;  ///< the bytes that it has sent already
    Clock::time_point since = Clock::now();
};

/// A socket for IPv6 and IPv4 shows an address of IPv4 as one of IPv6 (RFC 4291, section 2.5.5.2).
std::string text_of(const asio::ip::address& address) {
    if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address.to_string();
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
}

/// How many connections may wait. The remaining descriptors are for the job's own agents.
std::size_t bounded_by_descriptors(std::size_t wanted) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
    return std::clamp<std::size_t>(limit.rlim_cur / 4, 1, wanted);
}

}  // namespace

struct ChannelServer::Listener : std::enable_shared_from_this<Listener> {
    Listener(asio::io_context& io, FindSecret find, OnChannel handler, ServerLimits with)
        : acceptor(io),
          retry(io),
          slow(io),
          context(std::make_shared<TlsContext>(std::move(find))),
          on_channel(std::move(handler)),
          limits(with) {
        limits.quiet = bounded_by_descriptors(limits.quiet);
    }

    void listen(const std::string& address, int port);
    void accept();
    void admit(tcp::socket socket);
    void make_room();
    void read_hello(const std::shared_ptr<Quiet>& quiet);
    void forget(const std::shared_ptr<Quiet>& quiet);
    void shake_hands();
    void cut_when_slow();
    void begin(const std::shared_ptr<Quiet>& quiet);
    void done(const std::shared_ptr<Handshake>& handshake, const asio::error_code& error);
    void accept_later(Clock::duration delay);
    void close();

    tcp::acceptor acceptor;
    asio::steady_timer retry, slow;
    std::shared_ptr<TlsContext> context;
    OnChannel on_channel;
    ServerLimits limits;
    std::list<std::shared_ptr<Quiet>> quiet;  // oldest first
    std::list<std::shared_ptr<Quiet>> ready;  // have sent their hello
    std::list<std::shared_ptr<Handshake>> handshakes;
    bool accepting = false, closed = false;
};

void ChannelServer::Listener::listen(const std::string& address, int port) {
    asio::error_code error;
    auto where = asio::ip::make_address(address, error);
    const auto fail = [&](const char* what) {
        if (error)
            throw SystemError(std::string("cannot listen on ") + address + " port " +
                              std::to_string(port) + " (" + what + ": " + error.message() + ")");
    };
    fail("not a numeric address");
    const bool is_all = where == asio::ip::address(asio::ip::address_v6::any());
    const auto open = [&] {
        const tcp::endpoint endpoint(where, static_cast<unsigned short>(port));
        acceptor.open(endpoint.protocol(), error);
        if (error) return "socket";
        acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (is_all && where.is_v6()) {
            acceptor.set_option(asio::ip::v6_only(false), error);
            if (error) return "IPv4 beside IPv6";
        }
        acceptor.bind(endpoint, error);
        return "bind";
    };
    auto what = open();
    if (error && error != asio::error::address_in_use && is_all) {  // a host without IPv6
        asio::error_code ignored;
        acceptor.close(ignored);
        where = asio::ip::address_v4::any();
        what = open();
    }
    fail(what);
    acceptor.listen(1024, error);
    fail("listen");
}

void ChannelServer::Listener::accept() {
    if (accepting || closed) return;
    accepting = true;
    acceptor.async_accept(
        [self = shared_from_this()](const asio::error_code& error, tcp::socket socket) {
            self->accepting = false;
            if (self->closed) return;
            const bool full = self->quiet.size() >= self->limits.quiet;
            if (error || full) self->make_room();
            if (error) return self->accept_later(pause_after_error);  // e.g. out of descriptors
            self->admit(std::move(socket));
            if (full) return self->accept_later(pause_after_drop);
            self->accept();
        });
}

// An agent sends its hello immediately. So the connection that is closed here is hardly ever that
// of an agent.
void ChannelServer::Listener::make_room() {
    std::map<std::string_view, std::size_t> counts;
    for (const auto& one : quiet) ++counts[one->address];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& of) { return of.second; });
    if (most == counts.end()) return;
    const auto oldest =
        std::ranges::find(quiet, most->first, [](const auto& one) { return one->address; });
    const auto dropped = *oldest;
    forget(dropped);
    dropped->drop();
}

void ChannelServer::Listener::accept_later(Clock::duration delay) {
    retry.expires_after(delay);
    retry.async_wait([self = shared_from_this()](const asio::error_code& error) {
        if (!error) self->accept();
    });
}

void ChannelServer::Listener::admit(tcp::socket socket) {
    asio::error_code error;
    socket.set_option(tcp::no_delay(true), error);
    const auto peer = socket.remote_endpoint(error);
    if (error) return;
    auto one = std::make_shared<Quiet>(std::move(socket), text_of(peer.address()));
    quiet.push_back(one);
    one->timer.expires_after(limits.hello);
    one->timer.async_wait([self = shared_from_this(), one](const asio::error_code& stopped) {
        if (stopped) return;
        self->forget(one);
        one->drop();
    });
    read_hello(one);
}

void ChannelServer::Listener::forget(const std::shared_ptr<Quiet>& one) {
    quiet.remove(one);
    ready.remove(one);
}

void ChannelServer::Listener::read_hello(const std::shared_ptr<Quiet>& one) {
    one->socket.async_read_some(
        asio::buffer(one->buffer),
        [self = shared_from_this(), one](const asio::error_code& error, std::size_t n) {
            if (!one->socket.is_open()) return;
            one->bytes.append(one->buffer.data(), n);
            const auto hello = hello_in(one->bytes);
            if (error || hello == Hello::none) {
                self->forget(one);
                return one->drop();
            }
            if (hello == Hello::incomplete) return self->read_hello(one);
            one->timer.cancel();
            self->quiet.remove(one);
            self->ready.push_back(one);
            if (self->ready.size() > self->limits.quiet) self->ready.pop_front();
            self->shake_hands();
        });
}

// The youngest first: a peer that has waited for a long time is unlikely to finish its handshake
// quickly.
void ChannelServer::Listener::shake_hands() {
    while (!closed && !ready.empty() && handshakes.size() < limits.half_open) {
        const auto next = ready.back();
        ready.pop_back();
        begin(next);
    }
    if (!closed && !ready.empty()) cut_when_slow();
}

// Called while other peers wait. A handshake is one round trip, so a slow handshake is given up.
void ChannelServer::Listener::cut_when_slow() {
    const auto& oldest = handshakes.front();
    const auto age = Clock::now() - oldest->since;
    if (age >= patience_when_full) {
        asio::error_code ignored;
        if (oldest->stream) oldest->stream->tls.next_layer().close(ignored);  // done() follows
        return;
    }
    slow.expires_after(patience_when_full - age);
    slow.async_wait([self = shared_from_this()](const asio::error_code& stopped) {
        if (!stopped) self->shake_hands();
    });
}

void ChannelServer::Listener::begin(const std::shared_ptr<Quiet>& one) {
    auto handshake = std::make_shared<Handshake>(
        Handshake{std::make_unique<Channel::Stream>(std::move(one->socket), context),
                  std::move(one->address), std::move(one->bytes)});
    handshakes.push_back(handshake);
    auto& stream = *handshake->stream;
    stream.timer.expires_after(limits.handshake);
    stream.timer.async_wait([handshake](const asio::error_code& stopped) {
        asio::error_code ignored;
        if (!stopped && handshake->stream) handshake->stream->tls.next_layer().close(ignored);
    });
    stream.tls.async_handshake(
        asio::ssl::stream_base::server, asio::buffer(handshake->hello),
        [self = shared_from_this(), handshake](const asio::error_code& failed, std::size_t) {
            self->done(handshake, failed);
        });
}

void ChannelServer::Listener::done(const std::shared_ptr<Handshake>& handshake,
                                   const asio::error_code& error) {
    handshakes.remove(handshake);
    auto stream = std::move(handshake->stream);  // so its timer cannot close the stream any more
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
    shake_hands();
}

void ChannelServer::Listener::close() {
    closed = true;
    asio::error_code ignored;
    acceptor.close(ignored);
    retry.cancel();
    slow.cancel();
    for (const auto& list : {&quiet, &ready})
        for (const auto& one : std::exchange(*list, {})) one->drop();
    for (const auto& handshake : handshakes) handshake->stream->tls.next_layer().close(ignored);
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
