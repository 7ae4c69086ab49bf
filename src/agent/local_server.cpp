#include "agent/local_server.hpp"

#include "ductile/error.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace ductile::agent {

namespace {

constexpr auto first_message_deadline = std::chrono::seconds(30);
constexpr auto pause_after_error = std::chrono::milliseconds(100);

}  // namespace

LocalServer::LocalServer(asio::io_context& io, const std::string& path, FirstMessage first,
                         std::function<void(const std::string&)> refused)
    : acceptor_(io), retry_(io), first_(std::move(first)), refused_(std::move(refused)) {
    asio::error_code error;
    acceptor_.open(asio::local::stream_protocol(), error);
    if (!error) acceptor_.bind(path, error);
    if (!error && ::chmod(path.c_str(), 0600) != 0)
        error = asio::error_code(errno, asio::error::get_system_category());
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) throw SystemError("cannot listen on " + path + ": " + error.message());
    accept();
}

void LocalServer::close() {
    asio::error_code ignored;
    acceptor_.close(ignored);
    retry_.cancel();
}

void LocalServer::accept() {
    acceptor_.async_accept(
        [this](const asio::error_code& error, asio::local::stream_protocol::socket socket) {
            if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
            if (error) {  // for example: no descriptor is left
                retry_.expires_after(pause_after_error);
                retry_.async_wait([this](const asio::error_code& stopped) {
                    if (!stopped) accept();
                });
                return;
            }
            await_first(std::make_shared<LocalPeer>(std::move(socket)));
            accept();
        });
}

void LocalServer::await_first(const std::shared_ptr<LocalPeer>& peer) {
    if (peer->uid() != ::geteuid()) {
        refused_("a connection of user " + std::to_string(peer->uid()));
        return;
    }
    auto timer = std::make_shared<os::JobTimer>(acceptor_.get_executor());
    timer->expires_after(first_message_deadline);
    timer->async_wait([peer](const asio::error_code& error) {
        if (!error) peer->close("it said nothing in time");
    });
    peer->on_closed = [timer](const std::string&) { timer->cancel(); };
    peer->on_message = [this, timer, weak = std::weak_ptr(peer)](
                           wire::Message message, std::vector<wire::Fd> descriptors) {
        timer->cancel();
        const auto self = weak.lock();
        if (!self) return;
        try {
            first_(self, std::move(message), std::move(descriptors));
        } catch (const std::exception& error) {
            refused_(error.what());
            self->close(error.what());
        }
    };
    peer->start();
}

}  // namespace ductile::agent
