// The switch of a shrink (TS): whole groups leave. No newcomer can die here, so the program's
// thread does it all itself.
#include <algorithm>

#include "engine/member.hpp"
#include "engine/vote.hpp"

namespace ductile::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int survivors_tag = 0x0d30;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<core::Rank> ranks_that_stay(const core::Layout& layout,
                                        const std::vector<core::GroupId>& leaving) {
    std::vector<core::Rank> stay;
    int rank = 0;
    for (const auto& group : layout.groups) {
        const bool leaves = std::find(leaving.begin(), leaving.end(), group.id) != leaving.end();
        for (int i = 0; i < group.ranks; ++i, ++rank)
            if (!leaves) stay.push_back(core::Rank{rank});
    }
    return stay;
}

}  // namespace

Resized Member::shrink(const wire::Decide& plan) {
    const auto begin = Clock::now();
    SwitchReport done;
    done.transaction = plan.transaction;
    if (leader_) link_->send(wire::Arrived{plan.transaction});

    const data::Parties parties{first_ranks(size_),
                                ranks_that_stay(membership_.layout, plan.leaving)};
    const bool stays =
        std::binary_search(parties.targets.begin(), parties.targets.end(), core::Rank{rank_});
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
    if (stays) {
        std::vector<int> ranks;
        for (const auto rank : parties.targets) ranks.push_back(rank.value);
        next.comms =
            with_duplicates(mpi::create_group(*membership_.comms.switching, ranks, survivors_tag));
    }
    done.join_s = seconds_since(splitting);
    // The vote was the commit: all memory is there, and what fails from here on is a member's
    // death, which ends the job. A second vote would only make the survivors wait for the leavers.
    const auto adopting = Clock::now();
    done.committed = true;
    if (stays) {
        adopt_parts(parts);
        next.layout = layout_after(plan);
        next.point = plan.point;
        become(std::move(next));
    } else {
        membership_ = {};
    }
    done.commit_s = seconds_since(adopting);
    report(done, begin);
    if (stays) return Resized::resized;
    left_ = true;
    leader_ = false;
    link_->set_ticking(false);
    return Resized::leave;
}

}  // namespace ductile::engine
