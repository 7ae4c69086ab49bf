#include "agent/pmi_port.hpp"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>
#include <utility>

#include "ductile/error.hpp"
#include "os/pipe.hpp"
#include "os/tcp_peer.hpp"
#include "pmi/port.hpp"

namespace ductile::agent {

namespace {

/// Processes that have not said their id; fewer if the agent may open few files. A rank says it at
/// once, so the oldest one is none.
std::size_t most_unknown() {
    constexpr rlim_t most = 256;
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return most;
    return std::max(rlim_t{4}, std::min(most, files.rlim_cur / 4));
}
constexpr auto pause_after_error = std::chrono::milliseconds(100);
/// Connections that are accepted before other work goes on.
constexpr int most_at_once = 1024;

}  // namespace

pmi::KvsName new_world_name() {
    std::random_device device;
    const auto draw = [&device] { return std::uint64_t{device()} << 32 | device(); };
    return pmi::KvsName(pmi::RandomBits{draw(), draw()});
}

PmiPort::PmiPort(asio::io_context& io, std::function<void(const std::string&)> refused)
    : io_(io),
      acceptor_(io),
      retry_(io),
      most_unknown_(most_unknown()),
      refused_(std::move(refused)) {
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
    retry_.cancel();
    for (const auto& program : unknown_) program->close();
    unknown_.clear();
    ranks_.clear();
}

void PmiPort::wait() {
    acceptor_.async_wait(asio::socket_base::wait_read, [this](const asio::error_code& error) {
        if (error || !acceptor_.is_open()) return;
        wait();
        accept();
    });
}

void PmiPort::accept() {
    for (int accepted = 0; accepted < most_at_once && acceptor_.is_open(); ++accepted) {
        os::Fd fd(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!fd && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (!fd) return errno == EAGAIN ? void() : pause();
        const int now = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &now, sizeof(now));
        const auto program = std::make_shared<PmiSocket>(io_, std::move(fd));
        unknown_.push_back(program);
        make_room();
        // The socket is kept by unknown_: it must not keep itself.
        const std::weak_ptr<PmiSocket> weak = program;
        program->start(
            [this, weak](const std::vector<std::string>& lines) {
                if (const auto from = weak.lock()) on_first_lines(from, lines);
            },
            [this, weak] {
                if (const auto ended = weak.lock()) turn_away(ended);
            });
    }
}

void PmiPort::make_room() {
    if (unknown_.size() > most_unknown_) turn_away_oldest();
}

// The oldest one may be a rank whose line has not been read yet.
void PmiPort::turn_away_oldest() {
    const auto oldest = unknown_.front();
    oldest->drain();
    if (std::ranges::find(unknown_, oldest) != unknown_.end()) turn_away(oldest);
}

// No file can be opened, for example.
void PmiPort::pause() {
    if (!unknown_.empty()) turn_away_oldest();
    acceptor_.cancel();
    retry_.expires_after(pause_after_error);
    retry_.async_wait([this](const asio::error_code& error) {
        if (error || !acceptor_.is_open()) return;
        wait();
        accept();
    });
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
