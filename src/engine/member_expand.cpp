// The switch of an expand on a source (design, "The switch, and a newcomer that dies").
#include "engine/member.hpp"
#include "engine/switch_tags.hpp"
#include "engine/vote.hpp"
#include "mpi/errors_return.hpp"
#include "mpi/wait_asleep.hpp"

namespace ductile::engine {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

// MPICH marks an error that it meets while it waits for the other leader's first message of
// MPI_Intercomm_create as fatal and aborts the program, whatever the error handlers say; so this
// leader goes there only when the other one does. (An ordinary receive, as here, does not notice a
// dead peer; the broker's word does.)
bool Member::newcomers_enter(const mpi::Comm& bridge, core::TransactionId transaction,
                             std::string& objection) {
    static int word = 0;  // outlives a receive that is given up
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Irecv(&word, 1, MPI_INT, 1, entering_tag, bridge.get(), &request), "MPI_Irecv");
    const auto until =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(link_->welcome().progress_s));
    return mpi::wait_asleep_unless(request, "MPI_Irecv", [&] {
        if (const auto why = desk_.objection(transaction)) objection = *why;
        if (Clock::now() > until) objection = "the newcomers did not wake";
        return !objection.empty();
    });
}

Resized Member::expand(const wire::Decide& plan) {
    const auto begin = Clock::now();
    SwitchReport done;
    done.transaction = plan.transaction;
    if (leader_) link_->send(wire::Arrived{plan.transaction});
    if (plan.blocking) desk_.wait_to_proceed(plan.transaction);

    mpi::ErrorsReturn errors_return;  // a newcomer that dies is no matter of the program's handlers
    auto bridge = leader_ ? bridge_.take(plan.transaction) : nullptr;
    if (leader_ && !bridge) bridge = spawner_.take(plan.transaction);
    auto objection = desk_.objection(plan.transaction).value_or("");
    if (leader_ && !bridge && objection.empty())
        objection = "the bridge to the newcomers does not stand";
    if (leader_ && objection.empty()) newcomers_enter(*bridge, plan.transaction, objection);
    if (!first_vote(plan, objection)) {  // costs nothing: nothing has begun
        done.why = objection.empty() ? "another rank voted no" : objection;
        report(done, begin);
        return Resized::unchanged;
    }
    done.vote_s = seconds_since(begin);
    if (leader_) link_->send(wire::Progress{plan.transaction});

    ExpandInputs inputs;
    auto everybody = membership_.layout.active;
    for (const auto& range : plan.after.active)
        if (!membership_.layout.holds(range.group)) everybody.push_back(range);
    inputs.side = {membership_.comms.switching,
                   0,
                   bridge,
                   false,
                   plan.transaction,
                   partners_beyond(everybody, size_, core::Rank{rank_})};
    if (leader_)
        inputs.state = pack_join_state({plan.point, plan.after,
                                        ranks_that_stay(membership_.layout, plan.after),
                                        data::pack_state(*registry_)});
    inputs.arrays = outgoing();
    inputs.sources = size_;
    inputs.newcomers = core::ranks_of(wire::to_groups(plan.added));
    mpi::AbortTrap trap;
    const auto attempt = std::make_shared<ExpandAttempt>(std::move(inputs));
    {
        const std::lock_guard lock(attempt_mutex_);
        attempt_ = attempt;
        attempt_transaction_ = plan.transaction;
        reported_steps_ = 0;
    }
    link_->set_ticking(true);
    attempt->start();
    desk_.on_abandon(plan.transaction, [weak = std::weak_ptr(attempt)] {
        if (const auto alive = weak.lock()) alive->abandon();
    });
    const auto& welcome = link_->welcome();
    const bool ended = attempt->wait(std::chrono::duration<double>(welcome.progress_s));
    const auto late_objection = desk_.objection(plan.transaction);
    bool yes = ended && attempt->outcome().ok && !late_objection;
    std::string why;
    if (late_objection)
        why = *late_objection;
    else if (!yes)
        why = ended ? attempt->outcome().why : "no progress";
    if (yes) {
        try {
            data::expect_same(
                *registry_,
                data::unpack_state(unpack_join_state(attempt->outcome().joined.state).packed));
        } catch (const Error& error) {
            yes = false;
            why = error.what();
        }
    }
    const auto voting = Clock::now();
    done.committed =
        cast_vote(*membership_.comms.vote, {plan.transaction, plan.point, yes, false}).all_yes;
    {
        const std::lock_guard lock(attempt_mutex_);
        attempt_.reset();
    }
    if (done.committed) {
        auto& outcome = attempt->outcome();
        done.join_s = outcome.join_s;
        done.redistribute_s = outcome.redistribute_s;
        done.bytes_sent = outcome.moved.bytes_sent;
        done.peak_bytes = outcome.moved.bytes_new;
        commit_expand(plan, outcome, bridge);
        done.commit_s = seconds_since(voting);
        report(done, begin);
        return is_member() ? Resized::resized : leave();
    }
    // The old communicator and data stay. What a stuck helper may touch is its own; it is never
    // freed.
    rolled_back_ = done.unfinished = true;
    // Waits, too, until the helper's bounded sends have failed and MPI's lock is free.
    membership_.comms.switching = mpi::share(membership_.comms.vote->duplicate());
    worn_ = !attempt->ends_within(300ms) || attempt->outcome().receive_left || worn_;
    if (worn_) {
        errors_return.keep();
        trap.keep();
    }
    link_->set_ticking(leader_);
    done.why = why.empty() ? "another rank could not take the newcomers in" : why;
    report(done, begin);
    return Resized::unchanged;
}

void Member::commit_expand(const wire::Decide& plan, ExpandOutcome& outcome,
                           const mpi::SharedComm& bridge) {
    if (bridge) {  // a newcomer that has died by now is not to be waited for: the broker knows it
        const mpi::BoundedSends bounded(mpi::BoundedSends::tries_of_a_word);
        const int word = 1;
        MPI_Send(&word, 1, MPI_INT, 1, commit_tag, bridge->get());
    }
    if (!outcome.comms.job) {  // the others have all that this rank had
        membership_ = {};
        return;
    }
    const auto state = unpack_join_state(outcome.joined.state);
    if (!leader_) data::adopt_values(*registry_, data::unpack_state(state.packed));
    adopt_parts(outcome.parts);
    Membership next;
    next.comms = std::move(outcome.comms);
    next.layout = state.layout;
    next.point = plan.point;
    become(std::move(next));
}

}  // namespace ductile::engine
