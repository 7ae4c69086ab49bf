#include "broker/request_server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <chrono>

#include "broker/resize_request_wire.hpp"
#include "os/peer.hpp"
#include "wire/frame.hpp"

namespace ductile::broker {

namespace {

using Socket = asio::local::stream_protocol::socket;

constexpr std::size_t request_bytes = 1u << 20;
constexpr auto request_deadline = std::chrono::seconds(5);
constexpr auto pause_after_error = std::chrono::milliseconds(100);

// The connection of one command. It lives as long as an operation or an AskingCommand holds it.
class Session : public std::enable_shared_from_this<Session> {
  public:
    Session(Socket socket, RequestServer::OnRequest on_request)
        : socket_(std::move(socket)),
          deadline_(socket_.get_executor()),
          on_request_(std::move(on_request)) {}

    void start() {
        deadline_.expires_after(request_deadline);
        deadline_.async_wait([self = shared_from_this()](const std::error_code& error) {
            if (!error) self->close();
        });
        read();
    }

  private:
    void read() {
        socket_.async_read_some(
            asio::buffer(buffer_),
            [self = shared_from_this()](const std::error_code& error, std::size_t n) {
                if (error) return self->close();
                self->reader_.add({self->buffer_.data(), n});
                self->take();
            });
    }

    void take() {
        const AskingCommand asker{[self = shared_from_this()](const Reply& reply, bool last) {
            self->send({to_wire(reply.kind), reply.text, reply.data}, last);
        }};
        try {
            const auto json = reader_.next();
            if (!json) return read();
            deadline_.cancel();
            // While this process was stopped, whoever asked has given up and gone.
            if (os::has_hung_up(socket_.native_handle())) return close();
            on_request_(wire::decode<wire::Request>(*json), asker);
        } catch (const std::exception& error) {
            asker.reply({ReplyKind::refused, error.what()}, true);
        }
    }

    void send(const wire::Reply& reply, bool last) {
        auto frame = std::make_shared<std::string>(wire::to_frame(wire::Answer{reply}));
        const bool idle = waiting_.empty();
        waiting_ += *frame;
        last_ = last_ || last;
        if (idle && !writing_) write();
    }

    void write() {
        writing_ = true;
        auto out = std::make_shared<std::string>(std::move(waiting_));
        waiting_.clear();
        asio::async_write(
            socket_, asio::buffer(*out),
            [self = shared_from_this(), out](const std::error_code& error, std::size_t) {
                self->writing_ = false;
                if (error) return self->close();
                if (!self->waiting_.empty()) return self->write();
                if (self->last_) self->close();
            });
    }

    void close() {
        deadline_.cancel();
        std::error_code ignored;
        socket_.close(ignored);
    }

    Socket socket_;
    asio::steady_timer deadline_;
    RequestServer::OnRequest on_request_;
    wire::FrameReader reader_{request_bytes};
    std::array<char, 16384> buffer_{};
    std::string waiting_;
    bool writing_ = false, last_ = false;
};

}  // namespace

struct RequestServer::Listener : std::enable_shared_from_this<Listener> {
    Listener(asio::io_context& io, const std::string& path, OnRequest handler)
        : acceptor(io, asio::local::stream_protocol::endpoint(path)),
          retry(io),
          on_request(std::move(handler)),
          file(path) {
        if (::chmod(path.c_str(), 0600) != 0) throw SystemError("cannot make " + path + " private");
        struct stat made {};
        if (::lstat(path.c_str(), &made) == 0) inode = made.st_ino;
    }

    void accept() {
        acceptor.async_accept(
            [self = shared_from_this()](const std::error_code& error, Socket socket) {
                if (!self->acceptor.is_open()) return;
                if (error) return self->accept_later();  // for example, no free descriptor
                if (os::peer_of(socket.native_handle()).uid == ::geteuid())
                    std::make_shared<Session>(std::move(socket), self->on_request)->start();
                self->accept();
            });
    }

    void accept_later() {
        retry.expires_after(pause_after_error);
        retry.async_wait([self = shared_from_this()](const std::error_code& stopped) {
            if (!stopped && self->acceptor.is_open()) self->accept();
        });
    }

    asio::local::stream_protocol::acceptor acceptor;
    asio::steady_timer retry;
    OnRequest on_request;
    std::string file;
    ino_t inode = 0;
};

RequestServer::RequestServer(asio::io_context& io, const std::string& path, OnRequest on_request)
    : listener_(std::make_shared<Listener>(io, path, std::move(on_request))) {
    listener_->accept();
}

RequestServer::~RequestServer() {
    std::error_code ignored;
    listener_->acceptor.close(ignored);
    listener_->retry.cancel();
    ::unlink(listener_->file.c_str());
}

bool RequestServer::has_vanished() {
    if (was_missed_) return false;
    struct stat found {};
    was_missed_ = ::lstat(listener_->file.c_str(), &found) != 0 || found.st_ino != listener_->inode;
    return was_missed_;
}

}  // namespace ductile::broker
