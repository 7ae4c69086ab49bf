#include "engine/mpi_join_steps.hpp"

#include <utility>

#include "data/all_here.hpp"
#include "data/max_of_all.hpp"
#include "engine/mpi_peers.hpp"
#include "engine/mpi_spawn_steps.hpp"
#include "engine/stopwatch.hpp"
#include "engine/switch_tags.hpp"
#include "mpi/bounded_sends.hpp"
#include "mpi/wait_asleep.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

// Each join that may be under way has a tag of its own: one of them may be under way for ever.
int tag_of(core::TransactionId transaction) {
    constexpr int first = 0x0e00;
    constexpr int tags = 256;
    return first + transaction.value % tags;
}

// Sleeps, as the newcomers do, because the next step polls.
void await_newcomers_over_mpi(const JoinSide& side, data::Progress& progress) {
    const auto given_up = [&] { return progress.abandoned(); };
    if (side.bridge && !await_entry(*side.bridge, given_up)) throw data::Abandoned();
    static int word = 0;  // must outlive a broadcast that is given up
    std::vector requests{MPI_REQUEST_NULL};
    mpi::check(MPI_Ibcast(&word, 1, MPI_INT, side.leader, side.local->get(), requests.data()),
               "MPI_Ibcast");
    if (!mpi::wait_any_asleep_unless(requests, given_up)) throw data::Abandoned();
}

// Tests a request. The caller sleeps between two tests.
bool complete(MPI_Request& request) {
    int done = 0;
    mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
}

// The newcomers' leader waits for the program's leader over the bridge, or for its own agent: the
// first message is enough. Then it tells the other newcomers.
void await_commit_over_mpi(const JoinSide& side, Mailbox& mail) {
    static int word = 0;  // must outlive a receive that never completes
    int passed_on = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    bool committed = false;
    const auto sleep_or_hear = [&] {
        if (const auto message = mail.take_for(500us);
            message && std::holds_alternative<wire::Commit>(*message))
            committed = true;
    };
    if (side.bridge) {
        mpi::check(MPI_Irecv(&word, 1, MPI_INT, 0, commit_tag, side.bridge->get(), &request),
                   "MPI_Irecv");
        while (!committed && !complete(request)) sleep_or_hear();
        passed_on = 1;
    }
    MPI_Request passing = MPI_REQUEST_NULL;
    mpi::check(MPI_Ibcast(&passed_on, 1, MPI_INT, side.leader, side.local->get(), &passing),
               "MPI_Ibcast");
    while (!complete(passing)) sleep_or_hear();
    // Also receives the message of the program's leader if the agent's message came first.
    for (int i = 0; request != MPI_REQUEST_NULL && !complete(request) && i < 10000; ++i)
        sleep_or_hear();
}

constexpr int beyond_rounds = 20;  // above all round numbers of newcomers (mpi::open_port)

class MpiJoinSteps final : public JoinSteps {
  public:
    std::string open_port() override { return mpi::open_port(beyond_rounds); }
    Accepted accept(const std::string& port, const BridgeHello& expected) override {
        const auto self = mpi::duplicate_self();
        Accepted accepted;
        const Stopwatch connecting;
        const auto connection = mpi::accept(port, self);
        accepted.seconds = connecting.seconds();
        accepted.answer = receive_hello(connection, expected, after(newcomers_hello_within));
        if (accepted.answer == BridgeAnswer::welcome)
            accepted.bridge = mpi::share(mpi::merge(connection, false));
        return accepted;
    }
    mpi::SharedComm own_comm(const mpi::Comm& sources, core::TransactionId transaction) override {
        std::vector<int> ranks;
        for (const auto rank : first_ranks(sources.size())) ranks.push_back(rank.value);
        return mpi::share(mpi::create_group(sources, ranks, tag_of(transaction)));
    }
    bool await_entry(const mpi::Comm& bridge, const std::function<bool()>& given_up) override {
        return engine::await_entry(bridge, given_up);
    }
    void await_newcomers(const JoinSide& side, data::Progress& progress) override {
        await_newcomers_over_mpi(side, progress);
    }
    void enter(const mpi::Comm& bridge) override {
        const int word = 1;
        mpi::check(MPI_Send(&word, 1, MPI_INT, 0, entering_tag, bridge.get()), "MPI_Send");
    }
    void handshake(const JoinSide& side, data::Progress& progress) override {
        engine::handshake(side, progress);
    }
    MemberComms connect(const JoinSide& side, data::Progress& progress) override {
        return connect_sides(side, progress);
    }
    JoinedSides exchange_state(MemberComms comms, const std::string& state,
                               data::Progress& progress, const OwnPart& own_part) override {
        return engine::exchange_state(std::move(comms), state, progress, own_part);
    }
    std::vector<std::uint8_t> min_of_all(const mpi::Comm& comm,
                                         const std::vector<std::uint8_t>& mine,
                                         data::Progress& progress) override {
        return engine::min_of_all(comm, mine, progress);
    }
    void await_all_ahead(const mpi::Comm& comm, data::Progress& progress) override {
        if (!data::wait_for_all(comm, progress, [&] { return progress.abandoned(); }))
            throw data::Abandoned();
    }
    MemberComms comms_after(const MemberComms& joined, const data::Parties& parties,
                            const JoinSide& side, data::Progress& progress) override {
        return engine::comms_after(joined, parties, side, progress);
    }
    void tell_commit(const mpi::Comm& bridge) override {
        const mpi::BoundedSends bounded(mpi::BoundedSends::tries_of_a_word);
        const int word = 1;
        MPI_Send(&word, 1, MPI_INT, 1, commit_tag, bridge.get());
    }
    void await_commit(const JoinSide& side, Mailbox& mail) override {
        await_commit_over_mpi(side, mail);
    }
    void await_all_moved(const mpi::Comm& comm, data::Progress& progress) override {
        data::max_of_all(comm, 0, progress);
    }
};

}  // namespace

std::shared_ptr<JoinSteps> join_over_mpi() {
    return std::make_shared<MpiJoinSteps>();
}

MpiCalls calls_over_mpi() {
    return {peers_over_mpi(), join_over_mpi(), spawn_over_mpi()};
}

}  // namespace ductile::engine
