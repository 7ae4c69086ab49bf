// Messages between the watchdogs of a job's ranks, separate from all messages of the program and of
// Ductile.
#pragma once

#include <mpi.h>

#include <list>
#include <mutex>
#include <optional>

#include "check/rank_state.hpp"

namespace ductile::check {

enum class Word : std::int32_t { report, noted, question, answer, calls };

struct SideMessage {
    Word word = Word::report;
    RankState state;
};

/// Closed at first.
class SideChannel {
  public:
    /// `side`: the communicator on which the job votes. It carries no other point-to-point
    /// messages. If `side` is MPI_COMM_NULL, open() duplicates `job`, and is collective over `job`.
    void open(MPI_Comm job, MPI_Comm side);
    /// Call it before the communicator is freed. Messages under way are left to MPI.
    void close();

    /// Calls `use`. Meanwhile this object cannot be opened or closed.
    template <class Use>
    void locked(Use use) {
        const std::lock_guard lock(mutex_);
        use();
    }
    // Within locked():
    [[nodiscard]] bool is_open() const { return comm_ != MPI_COMM_NULL; }
    /// How often it has been opened.
    [[nodiscard]] int times_opened() const { return times_opened_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    void send(int to, const SideMessage& message);
    struct Received {
        int from = 0;
        SideMessage message;
    };
    std::optional<Received> receive();

  private:
    struct Sending {
        SideMessage message;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    std::mutex mutex_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    bool ours_ = false;
    int times_opened_ = 0;
    int rank_ = 0;
    int size_ = 1;
    std::list<Sending> sending_;
};

}  // namespace ductile::check
