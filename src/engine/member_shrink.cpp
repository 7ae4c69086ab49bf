// The switch of a shrink: ranks leave (TS) or park (ZS). No newcomer can die here, so the program's
// thread does it all itself.
#include <algorithm>

#include "engine/member.hpp"
#include "engine/vote.hpp"

namespace ductile::engine {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Resized Member::shrink(const wire::Decide& plan) {
    const auto begin = Clock::now();
    SwitchReport done;
    done.transaction = plan.transaction;
    if (leader_) link_->send(wire::Arrived{plan.transaction});

    const data::Parties parties{first_ranks(size_),
                                ranks_that_stay(membership_.layout, plan.after)};
    const bool stays =
        std::binary_search(parties.targets.begin(), parties.targets.end(), core::Rank{rank_});
    const bool parks = !stays && plan.after.holds(membership_.layout.at(core::Rank{rank_}));
    const auto arrays = outgoing();
    std::string objection = desk_.objection(plan.transaction).value_or("");
    std::vector<data::Block> parts;
    try {
        parts = data::allocate_parts(core::Rank{rank_}, parties, arrays);
    } catch (const Error& error) {
        objection = error.what();
    }
    if (!first_vote(plan, objection)) {
        done.why = objection.empty() ? "another rank voted no" : objection;
        report(done, begin);
        return Resized::unchanged;
    }
    done.vote_s = seconds_since(begin);

    const auto moving = Clock::now();
    data::Progress progress;
    const auto moved =
        data::redistribute_p2p(*membership_.comms.switching, parties, arrays, parts, progress);
    done.redistribute_s = seconds_since(moving);
    done.bytes_sent = moved.bytes_sent;
    done.peak_bytes = moved.bytes_new;

    // MPI_Comm_create_group is a matter of those that stay alone: the leavers cost the survivors
    // nothing.
    const auto splitting = Clock::now();
    Membership next;
    if (stays) next.comms = among(*membership_.comms.switching, parties.targets);
    done.join_s = seconds_since(splitting);
    // The vote was the commit: all memory is there, and what fails from here on is a member's
    // death, which ends the job. A second vote would only make the survivors wait for the leavers.
    const auto adopting = Clock::now();
    done.committed = true;
    next.layout = plan.after;
    next.point = plan.point;
    if (next.layout.parked_size() > 0) {
        next.before_parking = membership_.before_parking;
        if (!next.before_parking)
            next.before_parking = BeforeParking{membership_.comms.switching, membership_.layout};
    }
    if (stays || parks) adopt_parts(parts);  // who parks has none, and its memory is free
    if (parks) next.comms.job = membership_.comms.job;
    if (stays)
        become(std::move(next));
    else
        membership_ = std::move(next);
    done.commit_s = seconds_since(adopting);
    report(done, begin);
    if (stays) return Resized::resized;
    return parks ? stay_parked(plan.transaction) : leave();
}

}  // namespace ductile::engine
