// The leaders' bridge: one port, one hello, one communicator of two.
#pragma once

#include <string>

#include "core/ids.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

/// What a connector says first.
struct BridgeHello {
    core::TransactionId transaction;
    std::string secret;  ///< of the transaction; proves that the broker sent it
};

enum class BridgeAnswer { welcome, stranger, abandoned };

/// The acceptor's side of the hello, over a connection that stands: receives it (2 s at most) and
/// answers. `abandoned` when an abort connector spoke for a newcomer that never came.
BridgeAnswer receive_hello(const mpi::Comm& connection, const BridgeHello& expected);

/// The connector's side: sends the hello and waits (2 s at most) for the welcome; throws
/// SystemError without one.
void send_hello(const mpi::Comm& connection, const BridgeHello& hello);
/// The abort connector's side: "abandoned".
void send_abandoned(const mpi::Comm& connection, const BridgeHello& hello);

}  // namespace ductile::engine
