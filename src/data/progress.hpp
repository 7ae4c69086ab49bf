// How a helper that works inside MPI reports its progress, and learns that nobody waits any more.
#pragma once

#include <atomic>
#include <cstdint>

#include "ductile/error.hpp"

namespace ductile::data {

/// Thrown in a helper when it finds that nobody waits for it.
class Abandoned : public Error {
  public:
    Abandoned() : Error("given up") {}
};

/// Shared by a helper and the thread that waits for it.
class Progress {
  public:
    /// The helper calls this after each MPI call: counts a step. Throws Abandoned if nobody waits
    /// for the result any more.
    void step() {
        steps_.fetch_add(1, std::memory_order_relaxed);
        if (abandoned_.load(std::memory_order_relaxed)) throw Abandoned();
    }
    /// The helper calls this before a longer part of its work, with a literal such as "data move".
    void begin(const char* part) { part_.store(part, std::memory_order_relaxed); }
    [[nodiscard]] const char* part() const { return part_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }
    void abandon() { abandoned_.store(true, std::memory_order_relaxed); }
    /// While the program is at work (ProgramAtWork), each call counts a step, so that no deadline
    /// passes.
    [[nodiscard]] std::uint64_t steps() const {
        return program_at_work_ ? ++steps_ : steps_.load(std::memory_order_relaxed);
    }

  private:
    friend class ProgramAtWork;
    mutable std::atomic<std::uint64_t> steps_{0};
    std::atomic<const char*> part_{"nothing has begun"};
    std::atomic<bool> program_at_work_{false};
    std::atomic<bool> abandoned_{false};
};

/// While this object exists, the helper runs functions of the program. These functions may take as
/// long as they like.
class ProgramAtWork {
  public:
    explicit ProgramAtWork(Progress& progress) : progress_(progress) {
        progress_.program_at_work_ = true;
    }
    ~ProgramAtWork() { progress_.program_at_work_ = false; }
    ProgramAtWork(const ProgramAtWork&) = delete;
    ProgramAtWork& operator=(const ProgramAtWork&) = delete;

  private:
    Progress& progress_;
};

}  // namespace ductile::data
