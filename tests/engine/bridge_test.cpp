// What a source and the group that it has started do over their intercommunicator: the hello, the
// bridge of the leaders, the ports along the tree. Both are ranks of one MPI_COMM_WORLD here.
#include "engine/bridge.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "ductile/error.hpp"
#include "engine/mpi_spawn_steps.hpp"
#include "engine/spawn_group.hpp"
#include "engine/spawn_tree.hpp"
#include "expect.hpp"

namespace ductile::engine {
namespace {

using core::Rank;
using core::TransactionId;
using wire::SpawnBridge;

const BridgeHello hello{TransactionId{7}, "the secret"};

bool never() {
    return false;
}
/// A condition to give up: true after 200 ms. For tests in which no answer comes.
std::function<bool()> soon() {
    return [until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200)] {
        return std::chrono::steady_clock::now() > until;
    };
}

/// Ranks 0 to `starters` - 1 play the sources that have started the other ranks.
struct World {
    int starters, size, rank;
    bool is_new;
    mpi::Comm side;
    mpi::SharedComm between;

    explicit World(int starting) : starters(starting) {
        auto world = mpi::duplicate(MPI_COMM_WORLD);
        size = world.size();
        rank = world.rank();
        is_new = rank >= starters;
        side = world.split(is_new ? 1 : 0, rank);
        between = mpi::share(mpi::intercomm_create(side, 0, world.get(), is_new ? 0 : starters, 1));
    }
    [[nodiscard]] bool leads() const { return side.rank() == 0; }
    /// The communicator of the sources. Null for a single source, as the tested code expects.
    [[nodiscard]] const mpi::Comm* sources() const { return starters == 1 ? nullptr : &side; }
};

template <class Kind, class Call>
bool throws(Call call) {
    try {
        call();
    } catch (const Kind&) {
        return true;
    }
    return false;
}

// ---- the hello ----

/// Runs `newcomer` on the first new rank. Returns the answer on the first source.
template <class Newcomer>
BridgeAnswer answer_to(const World& world, Newcomer newcomer) {
    auto answer = BridgeAnswer::unauthenticated;
    if (world.is_new)
        newcomer();
    else
        answer = receive_hello(*world.between, hello, after(newcomers_hello_within));
    return answer;
}

void a_hello_is_judged_by_its_words() {
    const World world(1);
    if (world.is_new && !world.leads()) return;
    const auto expect_answer = [&](BridgeAnswer expected, const BridgeHello& said,
                                   const char* what) {
        const auto answer = answer_to(world, [&] {
            const bool welcome = expected == BridgeAnswer::welcome;
            const bool unheard = throws<TimeoutError>([&] {
                send_hello(*world.between, said, welcome ? std::function<bool()>(never) : soon());
            });
            expect(unheard == !welcome, "only the right one is told");
        });
        expect(world.is_new || answer == expected, what);
    };
    expect_answer(BridgeAnswer::welcome, hello, "the hello of this resize is welcome");
    expect_answer(BridgeAnswer::unauthenticated, {hello.transaction, "a guess"}, "not the secret");
    expect_answer(BridgeAnswer::unauthenticated, {TransactionId{8}, hello.secret},
                  "the secret of another resize");
    const auto answer = answer_to(world, [&] { send_abandoned(*world.between, hello); });
    expect(world.is_new || answer == BridgeAnswer::abandoned, "an abort connector says so");
    const auto guess = answer_to(world, [&] {
        send_abandoned(*world.between, {hello.transaction, "a guess"});
    });
    expect(world.is_new || guess == BridgeAnswer::unauthenticated, "it has the secret, too");
}

void who_says_nothing_is_not_waited_for() {
    const World world(1);
    if (!world.is_new)
        expect(receive_hello(*world.between, hello, [] { return true; }) ==
                   BridgeAnswer::unauthenticated,
               "no hello has come");
}

// ---- the bridge ----

void all_starters_hear_of_the_hello(int starters, const BridgeHello& said) {
    const World world(starters);
    const bool welcome = said.secret == hello.secret;
    if (world.is_new) {
        const bool unheard = throws<TimeoutError>([&] {
            send_hello_to_parents(*world.between, said,
                                  welcome ? std::function<bool()>(never) : soon());
        });
        expect(unheard == (world.leads() && !welcome), "the leader waits for the answer");
    } else {
        const bool failed = throws<SystemError>([&] {
            await_newcomers_hello(*world.between, world.sources(), hello, [] { return false; });
        });
        expect(failed == !welcome, "all sources hear whether the new ranks are there");
    }
}

/// On the root of the spawn the program has ended, so the root gives up. The other sources do not
/// give up.
void all_starters_hear_that_the_root_gives_up(int starters) {
    const World world(starters);
    if (world.is_new) return;  // new ranks do nothing
    std::string why;
    try {
        await_newcomers_hello(*world.between, world.sources(), hello,
                              world.rank == 0 ? soon() : std::function<bool()>(never));
    } catch (const SystemError& error) {
        why = error.what();
    }
    expect(why == program_is_ending, "all sources say why the root gave up");
}

void the_leaders_have_the_bridge(int starters, SpawnBridge by) {
    const World world(starters);
    mpi::SharedComm bridge;
    if (world.is_new) {
        send_hello_to_parents(*world.between, hello, never);
        bridge = bridge_of_spawn(*world.between, by, starters, true);
    } else {
        wire::SpawnGroup order;
        order.transaction = hello.transaction;
        order.secret = hello.secret;
        order.bridge = by;
        bridge =
            spawn_over_mpi()->bridge(order, *world.between, world.sources(), [] { return false; });
    }
    expect((bridge != nullptr) == world.leads(), "the leaders have it, and nobody else");
    if (!bridge) return;
    expect(bridge->rank() == (world.is_new ? 1 : 0), "the program's leader is its rank 0");
    int word = world.is_new ? 0 : 41;
    if (world.is_new)
        MPI_Recv(&word, 1, MPI_INT, 0, 1, bridge->get(), MPI_STATUS_IGNORE);
    else
        MPI_Send(&word, 1, MPI_INT, 1, 1, bridge->get());
    expect(word == 41, "they hear each other");
}

// ---- ports along the tree ----

const WaitFor wait_for = [](MPI_Request& request) {
    return MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
};

plan::PortTable port_of(int rank) {
    plan::PortTable ports;
    ports.add(rank, rank % 2, "port of " + std::to_string(rank));
    return ports;
}

/// The ports of these ranks.
plan::PortTable ports_of(int first, int last) {
    plan::PortTable all;
    for (int rank = first; rank <= last; ++rank) all.add(port_of(rank));
    return all;
}

// Rank 0 has started rank 1, which has started rank 2, and so on.
void ports_go_up_and_down_a_chain() {
    const auto world = mpi::duplicate(MPI_COMM_WORLD);
    const int rank = world.rank(), last = world.size() - 1;
    const auto self = mpi::duplicate_self();
    mpi::Comm parents;
    std::vector<mpi::SharedComm> children;
    for (int upper = 0; upper < last; ++upper)
        if (rank == upper)
            children.push_back(
                mpi::share(mpi::intercomm_create(self, 0, world.get(), upper + 1, upper)));
        else if (rank == upper + 1)
            parents = mpi::intercomm_create(self, 0, world.get(), upper, upper);
    const TreeExchange exchange{TransactionId{4095}, wait_for};
    if (rank == 0) {
        spawn_over_mpi()->share_ports({exchange.of, {Rank{0}}}, self, children,
                                      [] { return true; });
        return;
    }
    auto below = hear_children(children, exchange).value();
    expect(below == ports_of(rank + 1, last), "it hears of all below");
    below.add(port_of(rank));
    const auto all = share_with_parents(self, parents, below, exchange);
    expect(all == ports_of(1, last), "what comes down has all groups");
    expect(tell_children(children, all, exchange), "its children are told");
}

// Only the first and the last source have started groups, and know their ports.
void ports_go_across_the_sources() {
    const auto world = mpi::duplicate(MPI_COMM_WORLD);
    const int rank = world.rank(), last = world.size() - 1;
    std::vector<Rank> peers{Rank{0}};
    if (last > 0) peers.emplace_back(last);
    if (rank != 0 && rank != last) return;
    const TreeExchange exchange{TransactionId{5}, wait_for};
    auto expected = port_of(0);
    expected.add(port_of(last));
    expect(share_among_sources(world, peers, port_of(rank), exchange) == expected,
           "each peer has the ports of all");
}

// All ranks but the first are one group. Each rank of the group knows some ports.
void a_group_sends_what_all_its_ranks_have() {
    const World world(1);
    const TreeExchange exchange{TransactionId{4096}, wait_for};
    const int last = world.size - 1;
    if (world.is_new) {
        const auto all =
            share_with_parents(world.side, *world.between, port_of(world.rank), exchange);
        expect(all == ports_of(1, last), "all ranks of the group have what comes down");
        return;
    }
    spawn_over_mpi()->share_ports({exchange.of, {Rank{0}}}, world.side, {world.between},
                                  [] { return true; });
}

// The child group never answers: it is dead or late.
void sharing_that_is_given_up_ends() {
    const World world(1);
    if (world.is_new) return;
    int asked = 0;
    spawn_over_mpi()->share_ports({TransactionId{3}, {Rank{0}}}, world.side, {world.between},
                                  [&asked] { return ++asked < 3; });
    expect(asked == 3, "it asks whether somebody wants the ports until nobody does");
}

void all_of(int starters) {
    all_starters_hear_of_the_hello(starters, hello);
    all_starters_hear_of_the_hello(starters, {hello.transaction, "a guess"});
    all_starters_hear_that_the_root_gives_up(starters);
    the_leaders_have_the_bridge(starters, SpawnBridge::by_all);
    if (starters == 1) the_leaders_have_the_bridge(starters, SpawnBridge::by_root);
}

}  // namespace
}  // namespace ductile::engine

int main(int argc, char** argv) {
    return ductile::engine::run_on_ranks(argc, argv, [] {
        int size = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        ductile::engine::a_hello_is_judged_by_its_words();
        ductile::engine::who_says_nothing_is_not_waited_for();
        for (int starters = 1; starters < size; ++starters) ductile::engine::all_of(starters);
        ductile::engine::ports_go_up_and_down_a_chain();
        ductile::engine::ports_go_across_the_sources();
        ductile::engine::a_group_sends_what_all_its_ranks_have();
        ductile::engine::sharing_that_is_given_up_ends();
        MPI_Barrier(MPI_COMM_WORLD);
    });
}
