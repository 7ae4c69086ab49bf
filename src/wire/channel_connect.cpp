#include <algorithm>
#include <asio/ip/address.hpp>

#include "wire/tls_stream.hpp"

namespace ductile::wire {

namespace {

using asio::ip::tcp;
constexpr auto per_address = std::chrono::seconds(2);

int worth(ConnectFailure failure) {
    switch (failure) {
        case ConnectFailure::none:
            return 0;
        case ConnectFailure::unreachable:
            return 1;
        case ConnectFailure::refused:
            return 2;
        case ConnectFailure::unresponsive:
            return 3;
        case ConnectFailure::unauthenticated:
            return 4;
    }
    return 0;
}

/// One connect_channel(). It tries one address after the other.
class Connector : public std::enable_shared_from_this<Connector> {
  public:
    Connector(asio::io_context& io, std::vector<std::string> addresses, int port,
              const Identity& identity, const Secret& secret, std::chrono::milliseconds answer,
              std::function<void(ConnectResult)> done, ChannelLimits limits)
        : io_(io),
          resolver_(io),
          timer_(io),
          addresses_(std::move(addresses)),
          port_(port),
          context_(std::make_shared<TlsContext>(psk::Client{to_text(identity), secret})),
          answer_(answer),
          done_(std::move(done)),
          limits_(limits) {
        limits_.first_message = std::chrono::milliseconds(0);
    }

    void next_address() {
        if (next_ == addresses_.size()) {
            if (worst_.failure == ConnectFailure::none)
                worst_ = {{}, ConnectFailure::unreachable, "no address"};
            return finish(std::move(worst_));
        }
        const auto address = addresses_[next_++];
        const auto attempt = ++attempt_;
        connected_ = false;
        allow(per_address, attempt);
        asio::error_code error;
        const auto numeric = asio::ip::make_address(address, error);
        if (!error) return connect({numeric, static_cast<unsigned short>(port_)}, attempt);
        resolver_.async_resolve(
            address, std::to_string(port_),
            [self = shared_from_this(), attempt](const asio::error_code& failure,
                                                 const tcp::resolver::results_type& found) {
                if (attempt != self->attempt_) return;
                if (failure || found.empty())
                    return self->failed(ConnectFailure::unreachable, failure.message());
                self->try_each(found);
            });
    }

  private:
    void allow(std::chrono::milliseconds time, int attempt) {
        timer_.expires_after(time);
        timer_.async_wait([self = shared_from_this(), attempt](const asio::error_code& error) {
            // The handler of a time that has been prolonged may come late.
            const bool is_late = self->timer_.expiry() > std::chrono::steady_clock::now();
            if (!error && !is_late && attempt == self->attempt_)
                self->failed(
                    self->connected_ ? ConnectFailure::unresponsive : ConnectFailure::unreachable,
                    "no answer");
        });
    }

    /// Each address of a name has a time of its own.
    void try_each(const tcp::resolver::results_type& found) {
        std::vector<std::string> numeric;
        for (const auto& one : found) {
            const auto address = one.endpoint().address().to_string();
            if (std::ranges::find(numeric, address) == numeric.end()) numeric.push_back(address);
        }
        const auto name = addresses_.begin() + static_cast<std::ptrdiff_t>(--next_);
        addresses_.insert(addresses_.erase(name), numeric.begin(), numeric.end());
        next_address();
    }

    /// Whether no further address is known. One that is tried a second time does not count.
    [[nodiscard]] bool is_last() const { return next_ + (repeats_ ? 1 : 0) >= addresses_.size(); }

    void connect(const tcp::endpoint& endpoint, int attempt) {
        stream_ = std::make_shared<std::unique_ptr<Channel::Stream>>(
            std::make_unique<Channel::Stream>(tcp::socket(io_), context_));
        auto& socket = (*stream_)->tls.next_layer();
        socket.async_connect(endpoint, [self = shared_from_this(), attempt, stream = stream_,
                                        endpoint](const asio::error_code& error) {
            if (attempt != self->attempt_) return;
            if (error == asio::error::connection_refused)
                return self->failed(ConnectFailure::refused, error.message());
            if (error) return self->failed(ConnectFailure::unreachable, error.message());
            self->peer_ = endpoint.address().to_string();
            self->connected_ = true;
            if (self->is_last()) self->allow(self->answer_, attempt);
            self->shake_hands(attempt);
        });
    }

    void shake_hands(int attempt) {
        asio::error_code ignored;
        auto& socket = (*stream_)->tls.next_layer();
        socket.set_option(tcp::no_delay(true), ignored);
        limit_unacknowledged(socket, limits_.unacknowledged);
        (*stream_)->tls.async_handshake(
            asio::ssl::stream_base::client,
            [self = shared_from_this(), attempt, stream = stream_](const asio::error_code& error) {
                if (attempt != self->attempt_) return;
                if (error == asio::error::timed_out || error == asio::error::host_unreachable ||
                    error == asio::error::network_unreachable)
                    return self->failed(ConnectFailure::unreachable, error.message());
                if (error) return self->failed(ConnectFailure::unauthenticated, error.message());
                if (!psk::used((*stream)->tls.native_handle()))
                    return self->failed(ConnectFailure::unauthenticated, "the secret was not used");
                self->finish(
                    {std::make_shared<Channel>(std::move(*stream), self->limits_, self->peer_),
                     ConnectFailure::none, ""});
            });
    }

    // Keeps the most informative failure.
    void failed(ConnectFailure failure, const std::string& why) {
        ++attempt_;
        const auto address = addresses_[next_ - 1];
        if (worth(failure) > worth(worst_.failure)) {
            worst_.failure = failure;
            worst_.why = address + " port " + std::to_string(port_) + ": " + why;
        }
        if (failure == ConnectFailure::unresponsive && next_ < addresses_.size() && !repeats_) {
            repeats_ = true;
            addresses_.push_back(address);
        }
        resolver_.cancel();
        drop_stream();
        next_address();
    }

    void drop_stream() {
        asio::error_code ignored;
        if (stream_ && *stream_) (*stream_)->tls.next_layer().close(ignored);
        stream_.reset();
    }

    void finish(ConnectResult result) {
        ++attempt_;
        timer_.cancel();
        stream_.reset();
        const auto done = std::move(done_);
        done(std::move(result));
    }

    asio::io_context& io_;
    tcp::resolver resolver_;
    asio::steady_timer timer_;
    std::vector<std::string> addresses_;
    int port_;
    std::shared_ptr<TlsContext> context_;
    std::chrono::milliseconds answer_;
    std::function<void(ConnectResult)> done_;
    ChannelLimits limits_;
    std::size_t next_ = 0;
    bool connected_ = false, repeats_ = false;
    int attempt_ = 0;  // results of earlier attempts are ignored
    std::string peer_;
    // Pending handlers keep the stream that they work on alive. The channel takes the stream out.
    std::shared_ptr<std::unique_ptr<Channel::Stream>> stream_;
    ConnectResult worst_;
};

}  // namespace

void connect_channel(asio::io_context& io, std::vector<std::string> addresses, int port,
                     const Identity& identity, const Secret& secret,
                     std::chrono::milliseconds answer, std::function<void(ConnectResult)> done,
                     ChannelLimits limits) {
    auto connector = std::make_shared<Connector>(io, std::move(addresses), port, identity, secret,
                                                 answer, std::move(done), limits);
    asio::post(io, [connector] { connector->next_address(); });
}

}  // namespace ductile::wire
