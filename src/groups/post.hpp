// Small messages between processes that may not be waiting for them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <vector>

#include "mpi/comm.hpp"
#include "tree/seat.hpp"

namespace ductile::groups {

struct Letter {
    tree::ProcessId from;
    std::vector<std::int32_t> words;
};

/// Letters over one tag of a communicator, from any process to any, each channel in its order. Not
/// for two threads at once.
class Post {
  public:
    Post(const mpi::Comm& comm, int tag);
    ~Post();
    Post(const Post&) = delete;
    Post& operator=(const Post&) = delete;

    /// Local: the letter goes out while this process goes on. To itself it needs no MPI.
    void send(tree::ProcessId to, std::vector<std::int32_t> words);
    /// Whether all letters are out of this process's hands. Local.
    bool all_sent();
    /// A letter that has come, if there is one. Local.
    std::optional<Letter> receive();

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
    std::deque<Letter> to_self_;
};

}  // namespace ductile::groups
