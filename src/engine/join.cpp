#include "engine/join.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "core/thrown.hpp"
#include "data/max_of_all.hpp"
#include "ductile/error.hpp"
#include "engine/obstacle.hpp"
#include "engine/switch_tags.hpp"
#include "mpi/bounded_sends.hpp"
#include "mpi/wait_asleep.hpp"
#include "plan/join_partners.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

constexpr int join_tag = 0x0d10;
constexpr int have_all_tag = 0x0d11;
constexpr int greeting_tag = 0x0d12;

// Rank 0 hears from each of the other ranks.
void hear_all(const mpi::Comm& comm) {
    const int here = 1;
    int heard = 0;
    mpi::check(MPI_Reduce(&here, &heard, 1, MPI_INT, MPI_SUM, 0, comm.get()), "MPI_Reduce");
}

}  // namespace

// MPICH treats an error of a send under way as fatal. Most often the second send to a process that
// has just died fails (docs/decisions/0003). So rank 0 hears from every rank before it sends to
// that rank again.
std::string broadcast_state(const mpi::Comm& comm, const std::string& from_root,
                            data::Progress& progress) {
    struct {
        std::int64_t length = 0;
        std::array<char, 1792> begin{};
    } first;
    static_assert(sizeof(first) == 1800);  // one eager message, see FI_OFI_RXM_BUFFER_SIZE
    first.length = static_cast<std::int64_t>(from_root.size());
    std::copy_n(from_root.data(), std::min(from_root.size(), first.begin.size()),
                first.begin.data());
    hear_all(comm);
    mpi::check(MPI_Bcast(&first, sizeof(first), MPI_BYTE, 0, comm.get()), "MPI_Bcast");
    progress.step();
    std::string bytes = from_root;
    bytes.resize(static_cast<std::size_t>(first.length));
    const auto begun = std::min(bytes.size(), first.begin.size());
    std::copy_n(first.begin.data(), begun, bytes.data());

    constexpr std::size_t piece = std::size_t{256} << 20;
    for (auto done = begun; done < bytes.size();) {
        hear_all(comm);
        const auto n = std::min(piece, bytes.size() - done);
        mpi::check(MPI_Bcast(bytes.data() + done, static_cast<int>(n), MPI_BYTE, 0, comm.get()),
                   "MPI_Bcast");
        progress.step();
        done += n;
    }
    return bytes;
}

std::vector<std::uint8_t> min_of_all(const mpi::Comm& comm, const std::vector<std::uint8_t>& mine,
                                     data::Progress& progress) {
    auto least = mine;
    hear_all(comm);
    mpi::check(MPI_Allreduce(mine.data(), least.data(), static_cast<int>(mine.size()),
                             MPI_UNSIGNED_CHAR, MPI_MIN, comm.get()),
               "MPI_Allreduce");
    progress.step();
    return least;
}

bool await_entry(const mpi::Comm& bridge, const std::function<bool()>& given_up) {
    static int word = 0;  // must outlive a receive that is given up
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Irecv(&word, 1, MPI_INT, 1, entering_tag, bridge.get(), &request), "MPI_Irecv");
    return mpi::wait_asleep_unless(request, "MPI_Irecv", given_up);
}

namespace {

// An ordinary receive: a dead peer does not disturb it. docs/decisions/0002 says which calls a dead
// peer disturbs.
bool other_leader_is_there(const mpi::Comm& bridge, data::Progress& progress) {
    static int answer = 0;  // must outlive a receive that is given up
    const int question = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Irecv(&answer, 1, MPI_INT, 1, there_tag, bridge.get(), &request), "MPI_Irecv");
    mpi::check(MPI_Send(&question, 1, MPI_INT, 1, there_tag, bridge.get()), "MPI_Send");
    return mpi::wait_asleep_unless(
        request, "MPI_Irecv", [&] { return progress.abandoned(); }, 2ms);
}

}  // namespace

// The newcomers may have died during the vote. So the program's leader asks once more, and no rank
// joins a side that does not answer. The leaders' exchange must follow the answer immediately: if
// the other leader dies in between, MPICH treats the failed send to it as fatal.
void handshake(const JoinSide& side, data::Progress& progress) {
    if (side.newcomers) {
        MPI_Request request = MPI_REQUEST_NULL;
        int word = 0;
        if (side.bridge) {
            mpi::check(MPI_Irecv(&word, 1, MPI_INT, 0, there_tag, side.bridge->get(), &request),
                       "MPI_Irecv");
            mpi::wait_asleep(request, "MPI_Irecv");
            mpi::check(MPI_Send(&word, 1, MPI_INT, 0, there_tag, side.bridge->get()), "MPI_Send");
        }
        // The other newcomers sleep until then: the next step polls, and the program is still
        // computing.
        mpi::check(MPI_Ibcast(&word, 1, MPI_INT, side.leader, side.local->get(), &request),
                   "MPI_Ibcast");
        mpi::wait_asleep(request, "MPI_Ibcast");
        return;
    }
    int there = 1;
    if (side.bridge) there = other_leader_is_there(*side.bridge, progress) ? 1 : 0;
    mpi::check(MPI_Bcast(&there, 1, MPI_INT, side.leader, side.local->get()), "MPI_Bcast");
    if (there == 0) throw SystemError("the newcomers' leader did not answer");
    progress.step();
}

namespace {

// A process that gets its first message may answer late, because it shares its core with many, or
// never, because it has died. MPICH repeats the send with its lock held, until the answer comes or
// the send fails (mpi::BoundedSends). So the newcomers send first: a source waits for them without
// a lock, and then sends over an existing connection. Pairs that MPI does not need are left out:
// each pair costs some 2 ms if ranks share cores.
void hear_newcomers(const JoinSide& side, const mpi::Comm& between, data::Progress& progress) {
    std::vector<MPI_Request> requests(side.partners.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const int other = side.partners[i];
        if (side.newcomers)
            mpi::check(
                MPI_Isend(nullptr, 0, MPI_BYTE, other, greeting_tag, between.get(), &requests[i]),
                "MPI_Isend");
        else
            mpi::check(
                MPI_Irecv(nullptr, 0, MPI_BYTE, other, greeting_tag, between.get(), &requests[i]),
                "MPI_Irecv");
    }
    const auto given_up = [&] { return progress.abandoned(); };
    for (auto& request : requests) mpi::wait_asleep_unless(request, "MPI_Irecv", given_up);
    progress.step();
}

}  // namespace

std::vector<int> partners_beyond(const std::vector<core::RankRange>& everybody, int sources,
                                 core::Rank me) {
    const bool is_newcomer = me.value >= sources;
    const auto machines = std::getenv(plan::one_machine_variable) != nullptr
                              ? plan::Machines::one
                              : plan::Machines::one_a_host;
    std::vector<int> partners;
    for (const auto rank : plan::join_partners(everybody, me, machines))
        if ((rank.value >= sources) != is_newcomer)
            partners.push_back(is_newcomer ? rank.value : rank.value - sources);
    return partners;
}

namespace {

// The leaders have just exchanged messages: a leader that does not take a message now has died.
mpi::Comm between_leaders(const JoinSide& side) {
    std::optional<mpi::BoundedSends> bounded;
    if (side.bridge && side.at_point) bounded.emplace(mpi::BoundedSends::tries_of_a_word);
    const MPI_Comm bridge = side.bridge ? side.bridge->get() : MPI_COMM_NULL;
    return mpi::intercomm_create(*side.local, side.leader, bridge, side.newcomers ? 0 : 1,
                                 join_tag);
}

}  // namespace

MemberComms connect_sides(const JoinSide& side, data::Progress& progress) {
    const auto between = between_leaders(side);
    progress.step();
    hear_newcomers(side, between, progress);
    auto job = mpi::merge(between, side.newcomers);
    progress.step();
    auto comms = with_duplicates(std::move(job));
    progress.step();
    return comms;
}

namespace {

Obstacle do_own(const OwnPart& own, const JoinedSides& joined, data::Progress& progress) {
    if (!own.work) return std::nullopt;
    const data::ProgramAtWork at_work(progress);
    try {
        own.work(joined);
        return std::nullopt;
    } catch (...) {  // a function of the program may provide the memory
        return own.who + ": " + core::text_of_thrown();
    }
}

// Rank 0 hears from all ranks again. If ranks cannot continue, all learn the reason of the lowest
// of these ranks.
void expect_all_can(const mpi::Comm& all, const Obstacle& mine, data::Progress& progress) {
    const int said = mine ? all.size() - all.rank() : 0;
    const int first = all.size() - data::max_of_all(all, said, progress);
    if (first == all.size()) return;
    std::array<char, 512> why{};
    if (mine) std::copy_n(mine->data(), std::min(mine->size(), why.size() - 1), why.data());
    mpi::check(MPI_Bcast(why.data(), static_cast<int>(why.size()), MPI_CHAR, first, all.get()),
               "MPI_Bcast");
    throw SystemError(why.data());
}

}  // namespace

JoinedSides exchange_state(MemberComms comms, const std::string& state, data::Progress& progress,
                           const OwnPart& own_part) {
    JoinedSides joined{std::move(comms), {}};
    const auto& all = *joined.comms.switching;
    joined.state = broadcast_state(all, state, progress);
    expect_all_can(all, do_own(own_part, joined, progress), progress);
    return joined;
}

data::Parties parties_of(const JoinState& state, int sources, int joined) {
    const auto is_strange = [&](core::Rank rank) { return rank.value < 0 || rank.value >= joined; };
    if (std::ranges::any_of(state.targets, is_strange))
        throw Error("the state that the job's rank 0 sent names ranks that are not there");
    return {first_ranks(sources), state.targets};
}

// The sources give up their data only when the newcomers have said that they have them. The
// newcomers tell rank 0, and the other sources wait for the vote of rank 0. If all sources stay and
// come first, or all leave, they send nothing here, so the death of a newcomer does not disturb
// them.
MemberComms comms_after(const MemberComms& joined, const data::Parties& parties,
                        const JoinSide& side, data::Progress& progress) {
    const auto& all = *joined.switching;
    MemberComms comms;
    int speaker = parties.targets.front().value;
    if (parties.targets == first_ranks(all.size())) {
        comms = joined;
        speaker = static_cast<int>(parties.sources.size());
        if (side.newcomers) hear_all(*side.local);
    } else if (std::ranges::count(parties.targets, core::Rank{all.rank()}) > 0) {
        comms = among(all, parties.targets);
        mpi::check(MPI_Barrier(comms.switching->get()), "MPI_Barrier");  // all have received
    }
    progress.step();
    if (speaker == 0) return comms;
    if (all.rank() == speaker) {
        const int word = 1;
        mpi::check(MPI_Send(&word, 1, MPI_INT, 0, have_all_tag, all.get()), "MPI_Send");
    } else if (all.rank() == 0) {
        static int word = 0;  // must outlive a receive that is given up
        MPI_Request request = MPI_REQUEST_NULL;
        mpi::check(MPI_Irecv(&word, 1, MPI_INT, speaker, have_all_tag, all.get(), &request),
                   "MPI_Irecv");
        if (!mpi::wait_asleep_unless(
                request, "MPI_Irecv", [&] { return progress.abandoned(); }, 1ms))
            throw SystemError("the newcomers did not say that they have all data");
    }
    progress.step();
    return comms;
}

}  // namespace ductile::engine
