// A pending operation of a group, behind its handle.
#pragma once

#include <memory>
#include <thread>
#include <utility>

#include "job/group_impl.hpp"

namespace ductile {

class GroupRequest::Impl {
  public:
    Impl(std::shared_ptr<ProcessGroup::Impl> group, std::unique_ptr<groups::Operation> operation,
         int slot)
        : group_(std::move(group)),
          made_as_(group_->enrolment()),
          space_(group_->shared_space()),
          slot_(slot) {
        pending_ = space_->start(std::move(operation));
    }
    bool test() {
        if (!pending_) return true;
        bool over = true;  // also if it throws
        try {
            over = space_->test(pending_);
        } catch (...) {
            end();
            throw;
        }
        if (over) end();
        return over;
    }
    void wait() {
        while (!test()) std::this_thread::yield();
    }
    void abandon() {
        if (!pending_) return;
        space_->abandon(pending_);
        end();
    }

  private:
    void end() {
        pending_.reset();
        if (group_->enrolment() == made_as_) group_->release(slot_);
    }

    std::shared_ptr<ProcessGroup::Impl> group_;
    groups::GroupKey made_as_;  // the group may have been renewed since
    std::shared_ptr<groups::GroupSpace> space_;
    std::shared_ptr<groups::GroupSpace::PendingOperation> pending_;
    int slot_;
};

}  // namespace ductile
