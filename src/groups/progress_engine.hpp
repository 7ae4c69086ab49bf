// Pending operations of groups: their progress and their failure.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "groups/operation.hpp"

namespace ductile::groups {

/// A pending operation. It is over when it is complete, has failed or was given up.
struct PendingOperation {
    std::unique_ptr<Operation> operation;
    bool over = false;
    std::exception_ptr failure;
};

/// start(), test(), wait() and advance() advance all operations. Any thread may call this class.
class ProgressEngine {
  public:
    using Handle = std::shared_ptr<PendingOperation>;

    Handle start(std::unique_ptr<Operation> operation);
    /// Whether the operation is over. Throws its error if it failed.
    bool test(const Handle& pending);
    void wait(const Handle& pending);
    /// Gives up the operation.
    void abandon(const Handle& pending);
    /// Carries out an operation. Operations that are pending already continue meanwhile.
    void run(std::unique_ptr<Operation> operation);

    struct Progress {
        std::size_t completed = 0;
        std::size_t left = 0;
    };
    /// Tests all pending operations.
    Progress advance();

    /// What happens to the memory of the operations that fail_all() ends.
    enum class Leave { free, to_mpi };
    /// Lets all pending operations fail. `to_mpi`: never frees their memory, because MPI may still
    /// read or write it.
    void fail_all(const std::exception_ptr& failure, Leave leave);

  private:
    bool is_empty();

    std::mutex mutex_;
    std::vector<Handle> all_;
};

}  // namespace ductile::groups
