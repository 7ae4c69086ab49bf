// Ranks that parked at a shrink (ZS, parallel-spawning-strategies, section 4.6): asleep inside of
// their resize point, until they come back into the job or leave.
#include <thread>

#include "engine/join.hpp"
#include "engine/member.hpp"
#include "engine/switch_tags.hpp"
#include "engine/vote.hpp"

namespace ductile::engine {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Rank 0 to those that are to come back, once the members have voted. Nobody does if they have
// voted no.
struct Verdict {
    core::TransactionId transaction;
    int members = 0;              // the first ones of `all`
    std::vector<core::Rank> all;  // as ranks of BeforeParking::comm; none: stay parked
};

void send_verdict(const mpi::Comm& comm, const Verdict& verdict, core::Rank to) {
    std::vector<int> words{verdict.transaction.value, verdict.members};
    for (const auto rank : verdict.all) words.push_back(rank.value);
    mpi::check(MPI_Send(words.data(), static_cast<int>(words.size()), MPI_INT, to.value,
                        verdict_tag, comm.get()),
               "MPI_Send");
}

// Nothing when none has come.
std::optional<Verdict> take_verdict(const mpi::Comm& comm) {
    int there = 0;
    MPI_Status status;
    mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, verdict_tag, comm.get(), &there, &status), "MPI_Iprobe");
    if (there == 0) return std::nullopt;
    int count = 0;
    mpi::check(MPI_Get_count(&status, MPI_INT, &count), "MPI_Get_count");
    std::vector<int> words(static_cast<std::size_t>(count));
    mpi::check(MPI_Recv(words.data(), count, MPI_INT, status.MPI_SOURCE, verdict_tag, comm.get(),
                        MPI_STATUS_IGNORE),
               "MPI_Recv");
    Verdict verdict;
    verdict.transaction = core::TransactionId{words.at(0)};
    verdict.members = words.at(1);
    for (std::size_t i = 2; i < words.size(); ++i) verdict.all.emplace_back(words[i]);
    return verdict;
}

}  // namespace

Resized Member::stay_parked(core::TransactionId last) {
    before_new_();
    leader_ = false;
    link_->set_ticking(false);
    {
        const std::lock_guard lock(early_mutex_);
        begun_ = false;
    }
    link_->send(wire::Parked{true});
    while (const auto transaction = desk_.wait_parked(last)) {
        last = *transaction;
        if (!come_back(last)) continue;
        link_->send(wire::Parked{false});
        return Resized::resized;
    }
    return leave();
}

// A resize that was called off because the broker was lost has no verdict: that of a later one may
// come first, and counts (`transaction` is that one then).
bool Member::come_back(core::TransactionId& transaction) {
    const auto before = *membership_.before_parking;
    std::optional<Verdict> verdict;
    // The members may take a while to their point, and for ever if the broker is lost.
    constexpr std::chrono::milliseconds longest_pause = 20ms;
    auto pause = 1ms;
    while (!verdict || verdict->transaction < transaction) {
        if (desk_.is_to_end()) return false;
        verdict = take_verdict(*before.comm);
        if (!verdict) std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, longest_pause);
    }
    transaction = verdict->transaction;
    if (verdict->all.empty()) return false;
    SwitchReport done;
    done.transaction = transaction;
    if (!come_together(among(*before.comm, verdict->all), verdict->members, {}, done)) return false;
    desk_.stand(transaction, worn_);
    begin_at(membership_.point);
    return true;
}

Resized Member::take_back(const wire::Decide& plan) {
    const auto begin = Clock::now();
    SwitchReport done;
    done.transaction = plan.transaction;
    if (leader_) link_->send(wire::Arrived{plan.transaction});
    const auto before = *membership_.before_parking;
    const core::Layout& after = plan.after;
    const auto all = ranks_before(before, after);
    const auto objection = desk_.objection(plan.transaction).value_or("");
    const bool yes = first_vote(plan, objection);
    if (leader_)
        for (auto i = static_cast<std::size_t>(size_); i < all.size(); ++i)
            send_verdict(*before.comm,
                         {plan.transaction, size_, yes ? all : std::vector<core::Rank>{}}, all[i]);
    if (!yes) {
        done.why = objection.empty() ? "another rank voted no" : objection;
        report(done, begin);
        return Resized::unchanged;
    }
    done.vote_s = seconds_since(begin);
    const auto joining = Clock::now();
    auto comms = among(*before.comm, all);
    done.join_s = seconds_since(joining);
    JoinState state{plan.point, after, {}, {}};
    if (leader_) state.packed = data::pack_state(*registry_);
    done.committed = come_together(std::move(comms), size_, state, done);
    report(done, begin);
    return done.committed ? Resized::resized : Resized::unchanged;
}

// Nothing has changed if this is false: a rank has not the memory, say.
bool Member::come_together(MemberComms comms, int sources, const JoinState& state,
                           SwitchReport& done) {
    const auto& all = *comms.switching;
    data::Progress progress;
    const auto joined = unpack_join_state(
        broadcast_state(all, all.rank() == 0 ? pack_join_state(state) : "", progress));
    const auto packed = data::unpack_state(joined.packed);
    const data::Parties parties{first_ranks(sources), first_ranks(all.size())};
    const auto arrays = outgoing();
    std::vector<data::Block> parts;
    try {
        data::expect_same(*registry_, packed);
        parts = data::allocate_parts(core::Rank{all.rank()}, parties, arrays);
    } catch (const Error& error) {
        done.why = error.what();
    }
    if (!cast_vote(*comms.vote, {done.transaction, joined.point, done.why.empty(), false})
             .all_yes) {
        if (done.why.empty()) done.why = "a rank could not come back";
        return false;
    }
    const auto moving = Clock::now();
    const auto moved = data::redistribute_p2p(all, parties, arrays, parts, progress);
    done.redistribute_s = seconds_since(moving);
    done.bytes_sent = moved.bytes_sent;
    done.peak_bytes = moved.bytes_new;
    const auto adopting = Clock::now();
    if (all.rank() != 0) data::adopt_values(*registry_, packed);
    adopt_parts(parts);
    Membership next;
    next.comms = std::move(comms);
    next.layout = joined.layout;
    next.point = joined.point;
    if (next.layout.parked_size() > 0) next.before_parking = membership_.before_parking;
    become(std::move(next));
    done.commit_s = seconds_since(adopting);
    return true;
}

}  // namespace ductile::engine
