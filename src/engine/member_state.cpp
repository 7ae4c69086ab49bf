#include "engine/member_state.hpp"

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

void MemberState::renew_switching() {
    membership_.comms.switching = mpi::share(membership_.comms.vote->duplicate());
}

}  // namespace ductile::engine
