// Where the MPI programs of this host find their process manager: PMI_PORT and PMI_ID.
#pragma once

#include <sys/types.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "agent/pmi_socket.hpp"
#include "pmi/kvsname.hpp"

namespace ductile::agent {

/// A name that no other world has, ever.
pmi::KvsName new_world_name();

/// An MPI program that has connected.
struct PmiProgram {
    std::shared_ptr<PmiSocket> socket;
    std::uint64_t inode = 0;  ///< of its end of the connection (os/tcp_peer.hpp)
};

/// A TCP port of 127.0.0.1. Each rank has an id, a random number that is in its environment. A
/// process of another user is turned away, also if it knows an id (SECURITY.md).
///
/// Each MPI program of a rank connects anew: first the rank's own, then one after it, or one that
/// it has started. So what a program inherits, closes or has closed matters to no other one.
class PmiPort {
  public:
    /// Called with each program that names the id. It greets the program, or closes the socket.
    using OnProgram = std::function<void(PmiProgram)>;

    /// `refused` gets a line about the first process of another user. Throws SystemError if no port
    /// can be opened.
    PmiPort(asio::io_context& io, std::function<void(const std::string&)> refused);
    PmiPort(const PmiPort&) = delete;
    PmiPort& operator=(const PmiPort&) = delete;

    /// "127.0.0.1:40123"
    [[nodiscard]] std::string address() const;
    /// For an MPI that cannot connect (Capabilities::port_needs_ipv4): a socket that a rank
    /// inherits. Its program need not be greeted.
    struct Inherited {
        std::shared_ptr<PmiSocket> ours;
        os::Fd theirs;
    };
    [[nodiscard]] Inherited make_inherited() const;
    /// Returns the id, which no other rank of this host has had. It is at least 1.
    [[nodiscard]] int add(OnProgram on_program);
    void remove(int id) { ranks_.erase(id); }
    /// Delivers what has come and is still to be read, for example when a process has ended.
    void drain();
    void close();

  private:
    void wait();
    void pause();
    void accept();
    void make_room();
    void turn_away_oldest();
    void on_first_lines(const std::shared_ptr<PmiSocket>& from,
                        const std::vector<std::string>& lines);
    void refuse(uid_t user);
    void turn_away(const std::shared_ptr<PmiSocket>& program);

    asio::io_context& io_;
    asio::ip::tcp::acceptor acceptor_;
    asio::steady_timer retry_;
    std::size_t most_unknown_;
    std::function<void(const std::string&)> refused_;
    std::map<int, OnProgram> ranks_;
    std::deque<std::shared_ptr<PmiSocket>> unknown_;  // that have not said their id, oldest first
};

}  // namespace ductile::agent
