#include "engine/member_state.hpp"

#include <system_error>
#include <thread>
#include <utility>

#include "engine/check_hook.hpp"

namespace ductile::engine {

void MemberState::become(Membership membership) {
    before_new_();
    const bool newcomer = !is_member() && link_.welcome().role == wire::Role::newcomer;
    // What goes wrong in the program's own calls is the program's matter, at every size.
    mpi::take_error_handler(is_member() ? membership_.comms.job->get() : MPI_COMM_WORLD,
                            *membership.comms.job);
    membership_ = std::move(membership);
    rank_ = membership_.comms.job->rank();
    size_ = membership_.comms.job->size();
    is_leader_ = rank_ == 0;
    link_.set_ticking(is_leader_);
    tell_check_of_job(membership_.comms.job->get(), membership_.comms.vote->get(),
                      membership_.point, newcomer);
}

void MemberState::step_back(Membership rest) {
    tell_check_of_no_job();
    membership_ = std::move(rest);
}

void MemberState::fall_asleep() {
    before_new_();
    is_leader_ = false;
    link_.set_ticking(false);
}

void MemberState::leave() {
    fall_asleep();
    membership_ = {};
}

// What the program gives memory back with is called in its own thread, and checks begin at once.
void MemberState::drop_old_parts() {
    auto old = std::exchange(old_parts_, {});
    std::erase_if(old, [](const data::Block& part) {
        return part.home != nullptr || data::is_checked(part);
    });
    if (old.empty()) return;
    try {
        std::thread([parts = std::move(old)] {}).detach();
    } catch (const std::system_error&) {  // there is no thread: this one has done it
    }
}

void MemberState::renew_switching() {
    membership_.comms.switching = mpi::share(membership_.comms.vote->duplicate());
}

}  // namespace ductile::engine
