// Operations of groups under way: who makes them go on, and what becomes of one that fails.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "groups/operation.hpp"

namespace ductile::groups {

/// An operation under way. Over once it is complete or has failed.
struct UnderWay {
    std::unique_ptr<Operation> operation;
    bool over = false;
    std::exception_ptr failure;
};

/// Operations go on in each other's calls. For any thread.
class ProgressEngine {
  public:
    using Handle = std::shared_ptr<UnderWay>;

    Handle start(std::unique_ptr<Operation> operation);
    /// Whether it is over. Throws what it failed with.
    bool test(const Handle& under_way);
    void wait(const Handle& under_way);
    /// Gives it up.
    void abandon(const Handle& under_way);
    /// Carries an operation out; others that are under way go on meanwhile.
    void run(std::unique_ptr<Operation> operation);

    struct Progress {
        std::size_t completed = 0;
        std::size_t left = 0;
    };
    /// Tests all that are under way.
    Progress go_on();

    /// What becomes of the memory of operations that fail because there is no more time for them.
    enum class Leave { free, to_mpi };
    /// All that are under way have failed. `to_mpi`: another process may be about to read or write
    /// their buffers.
    void fail_all(const std::exception_ptr& failure, Leave leave);

  private:
    bool is_empty();

    std::mutex mutex_;
    std::vector<Handle> all_;
};

}  // namespace ductile::groups
