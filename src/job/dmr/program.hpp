// A process of a program written for DMR, with any back end.
#pragma once

#include <memory>

#include "job/dmr/back_end.hpp"
#include "job/dmr/inhibitor.hpp"

namespace ductile::dmr {

/// Numbers of ranks. 0: no limit.
struct Limits {
    int min = 0, max = 0, preferred = 0, multiple = 0;
    bool operator==(const Limits&) const = default;
};

/// Updates the variables that the program sees (compat/dmr.h).
class Program {
  public:
    explicit Program(std::unique_ptr<BackEnd> back_end);
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() = default;

    [[nodiscard]] bool was_added() { return !back_end_->job().fresh(); }
    /// True if the program must redistribute now.
    [[nodiscard]] bool check();
    void end_redistribution();
    void complete() { back_end_->complete(); }

    /// At a resize the limits of all processes are compared. Until its first check, a process that
    /// was added to existing ones takes part with their limits, after that with its own.
    void set_limits(const Limits& limits);
    void inhibit_for(double seconds);
    /// Throws InputError if `nth_check` is below 1.
    void look_at_each(int nth_check);

  private:
    void begin_redistribution(int new_size);
    void look_who_is_there();
    void tell_options();
    void tell_terms();

    std::unique_ptr<BackEnd> back_end_;
    int size_ = 0;     ///< before the resize
    Limits compared_;  ///< compared between the processes at each resize
    Replicated<int, int, Limits> registered_;
    Inhibitor inhibitor_;
    Limits limits_;
    bool has_checked_ = false;
    double inhibitor_s_ = 0;
};

}  // namespace ductile::dmr
