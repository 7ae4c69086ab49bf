// Small messages to processes that may not be waiting for them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <vector>

#include "groups/packets.hpp"
#include "mpi/comm.hpp"

namespace ductile::groups {

/// Sends and receives packets with one tag of a communicator, between any processes. Packets of one
/// sender to one receiver keep their order. Only one thread at a time may use it.
class MessageQueue {
  public:
    MessageQueue(const mpi::Comm& comm, int tag);
    ~MessageQueue();
    MessageQueue(const MessageQueue&) = delete;
    MessageQueue& operator=(const MessageQueue&) = delete;

    /// Local: the packet is sent while this process continues. A packet to itself needs no MPI.
    void send(tree::ProcessId to, std::vector<std::int32_t> words);
    /// Whether MPI has sent all packets of this process. Local.
    bool all_sent();
    /// Returns a packet that has come, if there is one. Local.
    std::optional<Packet> receive();

  private:
    struct Outgoing {
        std::vector<std::int32_t> words;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    void forget_sent();

    MPI_Comm comm_;
    int tag_;
    tree::ProcessId self_;
    std::list<Outgoing> outgoing_;
    std::deque<Packet> to_self_;
};

}  // namespace ductile::groups
