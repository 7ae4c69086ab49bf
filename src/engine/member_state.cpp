#include "engine/member_state.hpp"

#include <system_error>
#include <thread>
#include <utility>

#include "engine/check_hook.hpp"

namespace ductile::engine {

void MemberState::become(Membership membership) {
    before_new_();
    const bool newcomer = !is_member() && link_.welcome().role == wire::Role::newcomer;
    // At every size the program's own error handler handles errors of the program's calls.
    peers_.take_error_handler(membership_.comms.job, *membership.comms.job);
    membership_ = std::move(membership);
    place_ = peers_.place_in(*membership_.comms.job);
    is_leader_ = place_.rank == 0;
    link_.set_ticking(is_leader_);
    tell_check_of_job(membership_.comms.job->get(), membership_.comms.vote->get(),
                      membership_.point, newcomer);
}

void MemberState::step_back(Membership rest) {
    before_new_();
    tell_check_of_no_job();
    membership_ = std::move(rest);
}

void MemberState::fall_asleep() {
    is_leader_ = false;
    link_.set_ticking(false);
}

void MemberState::leave() {
    fall_asleep();
    membership_ = {};
}

// Frees two kinds of parts in the program's thread: memory that the program's own functions free,
// and checked memory, which must be protected immediately. Another thread frees the other parts.
void MemberState::drop_old_parts() {
    auto old = std::exchange(old_parts_, {});
    std::erase_if(old, [](const data::Block& part) {
        return part.home != nullptr || data::is_checked(part);
    });
    if (old.empty()) return;
    try {
        std::thread([parts = std::move(old)] {}).detach();
    } catch (const std::system_error&) {  // without a new thread this thread frees the parts
    }
}

void MemberState::renew_switching() {
    membership_.comms.switching = peers_.duplicate(*membership_.comms.vote);
}

}  // namespace ductile::engine
