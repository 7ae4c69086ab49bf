// The bridge of the leaders: one port, one hello, one communicator of two.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/ids.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

/// The first message of a connector.
struct BridgeHello {
    core::TransactionId transaction;
    std::string secret;  ///< of the transaction; a process can get it only from the broker
};

enum class BridgeAnswer { welcome, unauthenticated, abandoned };

/// Returns a function that returns true when `time` has passed.
std::function<bool()> after(std::chrono::seconds time);
/// The time limit of receive_hello(). A newcomer sends its hello as soon as it is connected.
inline constexpr std::chrono::seconds newcomers_hello_within{2};
/// The time limit of send_hello(). The acceptor may answer late: a send to another newcomer, which
/// has died, takes up to 4 s of processor time (mpi/bounded_sends.hpp), and longer if ranks share
/// cores.
inline constexpr std::chrono::seconds welcome_within{30};

/// The acceptor's side of the hello, over an open connection: receives the hello, and answers it if
/// the connector is welcome. `unauthenticated`: the hello is wrong, or the connector has said
/// nothing when `given_up` returns true. `abandoned`: an abort connector has connected in the place
/// of a newcomer that did not connect.
BridgeAnswer receive_hello(const mpi::Comm& connection, const BridgeHello& expected,
                           const std::function<bool()>& given_up);

/// The connector's side: sends the hello and waits for the welcome. Throws TimeoutError if
/// `given_up` returns true before.
void send_hello(const mpi::Comm& connection, const BridgeHello& hello,
                const std::function<bool()>& given_up);
/// The abort connector's side: sends "abandoned".
void send_abandoned(const mpi::Comm& connection, const BridgeHello& hello);

}  // namespace ductile::engine
