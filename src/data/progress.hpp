// How a helper that works inside MPI says that it gets on, and hears that it is no longer wanted.
#pragma once

#include <atomic>
#include <cstdint>

#include "ductile/error.hpp"

namespace ductile::data {

/// Thrown out of a helper's work when it finds itself abandoned.
class Abandoned : public Error {
  public:
    Abandoned() : Error("given up") {}
};

/// Shared by a helper and the thread that waits for it.
class Progress {
  public:
    /// The helper, after each MPI call: counts a step; throws Abandoned when nobody waits for the
    /// result any more.
    void step() {
        steps_.fetch_add(1, std::memory_order_relaxed);
        if (abandoned_.load(std::memory_order_relaxed)) throw Abandoned();
    }
    /// The helper, before a longer part of its work; a literal: "data move".
    void begin(const char* part) { part_.store(part, std::memory_order_relaxed); }
    [[nodiscard]] const char* part() const { return part_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }
    void abandon() { abandoned_.store(true, std::memory_order_relaxed); }
    /// While the program is at work each look finds a step more.
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

/// The helper does what the program has asked for, which may take as long as it likes.
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
