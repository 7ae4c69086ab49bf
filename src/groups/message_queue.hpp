// Small messages between processes that may not be waiting for them.
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

/// Packets over one tag of a communicator, from any process to any, each channel in its order. Not
/// for two threads at once.
class MessageQueue {
  public:
    MessageQueue(const mpi::Comm& comm, int tag);
    ~MessageQueue();
    MessageQueue(const MessageQueue&) = delete;
    MessageQueue& operator=(const MessageQueue&) = delete;

    /// Local: the packet goes out while this process goes on. To itself it needs no MPI.
    void send(tree::ProcessId to, std::vector<std::int32_t> words);
    /// Whether all packets are out of this process's hands. Local.
    bool all_sent();
    /// A packet that has come, if there is one. Local.
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
