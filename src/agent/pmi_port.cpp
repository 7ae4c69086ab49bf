#include "agent/pmi_port.hpp"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <utility>

#include "ductile/error.hpp"
#include "os/pipe.hpp"
#include "os/tcp_peer.hpp"
#include "pmi/port.hpp"

namespace ductile::agent {

namespace {

/// Processes that have not said their id. A rank says it at once, so the oldest one is none.
constexpr std::size_t most_unknown = 256;
/// Connections that are accepted before other work goes on.
constexpr int most_at_once = 1024;

}  // namespace

PmiPort::PmiPort(asio::io_context& io, std::function<void(const std::string&)> refused)
    : io_(io), acceptor_(io), refused_(std::move(refused)) {
    using asio::ip::tcp;
    asio::error_code error;
    acceptor_.open(tcp::v4(), error);
    if (!error) acceptor_.bind({asio::ip::address_v4::loopback(), 0}, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) acceptor_.native_non_blocking(true, error);
    if (error)
        throw SystemError("cannot open a port of 127.0.0.1 for the ranks' MPI: " + error.message());
    wait();
}

std::string PmiPort::address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

PmiPort::Inherited PmiPort::make_inherited() const {
    auto sockets = os::make_sockets("PMI-1");
    const auto ours = std::make_shared<PmiSocket>(io_, std::move(sockets.ours));
    ours->start({});
    return {ours, std::move(sockets.theirs)};
}

int PmiPort::add(OnProgram on_program) {
    std::random_device random;
    int id = 0;
    while (id == 0 || ranks_.contains(id)) id = static_cast<int>(random() & 0x7fffffffU);
    ranks_.emplace(id, std::move(on_program));
    return id;
}

void PmiPort::close() {
    asio::error_code ignored;
    acceptor_.close(ignored);
    for (const auto& program : unknown_) program->close();
    unknown_.clear();
    ranks_.clear();
}

void PmiPort::wait() {
    acceptor_.async_wait(asio::socket_base::wait_read, [this](const asio::error_code& error) {
        if (error || !acceptor_.is_open()) return;
        accept();
        wait();
    });
}

void PmiPort::accept() {
    for (int accepted = 0; accepted < most_at_once && acceptor_.is_open(); ++accepted) {
        os::Fd fd(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!fd && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (!fd) return;
        const int now = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &now, sizeof(now));
        const auto program = std::make_shared<PmiSocket>(io_, std::move(fd));
        unknown_.push_back(program);
        if (unknown_.size() > most_unknown) turn_away(unknown_.front());
        // The socket is kept by unknown_: it must not keep itself.
        const std::weak_ptr<PmiSocket> weak = program;
        program->hand_over({}, [this, weak] {
            if (const auto ended = weak.lock()) turn_away(ended);
        });
        program->start([this, weak](const std::vector<std::string>& lines) {
            if (const auto from = weak.lock()) on_first_lines(from, lines);
        });
    }
}

void PmiPort::refuse(uid_t user) {
    if (const auto tell = std::exchange(refused_, nullptr))
        tell("a process of user " + std::to_string(user) +
             " has named a rank at the port of the ranks' MPI: it was turned away");
}

void PmiPort::turn_away(const std::shared_ptr<PmiSocket>& program) {
    const auto closed = program;  // it may be an element of unknown_
    std::erase(unknown_, closed);
    closed->close();
}

// A program sends nothing more before it is greeted.
void PmiPort::on_first_lines(const std::shared_ptr<PmiSocket>& from,
                             const std::vector<std::string>& lines) {
    const auto id = lines.size() == 1 ? pmi::id_in(lines.front()) : std::nullopt;
    const auto rank = id ? ranks_.find(*id) : ranks_.end();
    const auto peer = rank == ranks_.end() ? std::nullopt : from->peer();
    if (peer && peer->uid != ::geteuid()) refuse(peer->uid);
    if (!peer || peer->uid != ::geteuid()) return turn_away(from);
    std::erase(unknown_, from);
    from->hand_over({});
    const auto on_program = rank->second;  // it may remove the id
    on_program({from, peer->inode});
}

void PmiPort::drain() {
    accept();
    const auto unknown = unknown_;
    for (const auto& program : unknown) program->drain();
}

}  // namespace ductile::agent
