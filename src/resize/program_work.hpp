// What the program does by itself during a resize, as its ranks report it. Pure.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "resize/resize_plan.hpp"

namespace ductile::resize {

class ProgramWork {
  public:
    // ---- a source or a new rank prepares for its place after the resize ----
    /// Returns false if this was reported before.
    bool begin_preparing(const core::Process& process) { return preparing_.insert(process).second; }
    /// Returns false if the process was not preparing.
    bool end_preparing(const core::Process& process) {
        return preparing_.contains(process) && prepared_.insert(process).second;
    }
    [[nodiscard]] bool anybody_prepares() const { return preparing_.size() != prepared_.size(); }
    /// "rank g0.1", "ranks g0.1, g2.0 and 7 more".
    [[nodiscard]] std::string who_prepares() const;

    // ---- a process moves the program's own data ----
    /// Returns true for the first process that begins to move data.
    bool begin_moving() { return !std::exchange(moving_, true); }
    void end_moving(const core::Process& process) { moved_.insert(process); }
    /// The processes of the resize that have not ended the move, as text like that of
    /// who_prepares(). Some of them may not have begun the move.
    [[nodiscard]] std::string who_has_not_moved(const ResizePlan& plan) const;

    // ---- a member has ended its Job ----
    void end_program() { ending_ = true; }
    [[nodiscard]] bool is_ending() const { return ending_; }

    bool operator==(const ProgramWork&) const = default;
    template <class V>
    void fields(V& v) {
        v("preparing", preparing_), v("prepared", prepared_), v("moving", moving_);
        v("moved", moved_), v("ending", ending_);
    }

  private:
    std::set<core::Process> preparing_, prepared_, moved_;
    bool moving_ = false, ending_ = false;
};

}  // namespace ductile::resize
