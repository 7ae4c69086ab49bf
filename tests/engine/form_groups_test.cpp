// New groups become one communicator. The ranks of MPI_COMM_WORLD play several groups. Each rank
// has a fake broker of its own, which knows all ports.
#include "engine/form_groups.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/mpi_spawn_steps.hpp"
#include "expect.hpp"
#include "fake_channel.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/port_table.hpp"
#include "plan/rank_order.hpp"

namespace ductile::engine {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;
using core::TransactionId;

constexpr TransactionId resize{7};

/// The ranks of `world`, in groups of about the same size. The ids of the groups descend. So their
/// order in the communicator is not the order in which they were added.
struct Groups {
    mpi::Comm world;
    std::vector<core::Group> added;
    int position = 0;
    GroupId mine;
    int in_group = 0;
    mpi::Comm comm;  ///< the communicator of this rank's group

    Groups(mpi::Comm of, int groups) : world(std::move(of)) {
        const int size = world.size(), rank = world.rank();
        for (int i = 0; i < groups; ++i) {
            const int begin = size * i / groups, end = size * (i + 1) / groups;
            added.push_back({GroupId{20 - i}, HostIndex{i}, end - begin, {}});
            if (begin <= rank && rank < end) position = i, in_group = rank - begin;
        }
        mine = added.at(static_cast<std::size_t>(position)).id;
        comm = world.split(position, rank);
    }
    [[nodiscard]] plan::ConnectRounds rounds() const {
        return plan::connect_rounds(static_cast<int>(added.size()));
    }
    /// Collective over the world: the ports of all groups.
    [[nodiscard]] plan::PortTable ports_of_all(const wire::Ready& own) const {
        plan::PortTable ports;
        for (std::size_t i = 0; i < own.rounds.size(); ++i)
            ports.add(position, own.rounds[i], own.ports[i]);
        plan::PortTable all;
        for (int rank = 0; rank < world.size(); ++rank) {
            auto text = ports.to_text();
            int length = static_cast<int>(text.size());
            MPI_Bcast(&length, 1, MPI_INT, rank, world.get());
            text.resize(static_cast<std::size_t>(length));
            MPI_Bcast(text.data(), length, MPI_CHAR, rank, world.get());
            all.add(plan::PortTable::of_text(text));
        }
        return all;
    }
};

/// When all groups are ready, it sends its rank the orders to connect.
class Broker final : public AgentChannel {
  public:
    Broker(const Groups& groups, Mailbox& mail) : groups_(groups), mail_(mail) {
        if (groups.in_group > 0) order_rounds({});  // the first rank of the group reports for it
    }
    [[nodiscard]] const wire::RankWelcome& welcome() const override { return agent_.welcome(); }
    void send(const wire::FromRank& message) override {
        agent_.send(message);
        if (const auto* ready = std::get_if<wire::Ready>(&message)) order_rounds(*ready);
    }
    void set_ticking(bool) override {}
    void wait_for_input(std::chrono::milliseconds) override {}

    std::vector<wire::FromRank> take() { return agent_.take(); }

  private:
    void order_rounds(const wire::Ready& ready) {
        const auto ports = groups_.ports_of_all(ready);
        mail_.put(wire::ResizePending{resize, true, {}});
        for (const auto& one : plan::itinerary(groups_.rounds(), groups_.position))
            mail_.put(wire::ConnectRound{one.round, ports.port(one.acceptor, one.round)});
    }

    const Groups& groups_;
    Mailbox& mail_;
    FakeChannel agent_;
};

void expect_order_of_ids(const Groups& groups, const mpi::Comm& formed, const mpi::Comm& all) {
    expect(formed.size() == all.size(), "all groups are in it");
    const int key = plan::order_key(groups.added, groups.mine, Rank{groups.in_group});
    expect(formed.rank() == key, "the group with the lowest id comes first");
    int sum = 0;
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, formed.get());
    expect(sum == all.size(), "they hear each other");
}

void expect_ready(const Groups& groups, const wire::FromRank& said) {
    const auto& ready = std::get<wire::Ready>(said);
    expect(ready.ranks == groups.added.at(static_cast<std::size_t>(groups.position)).ranks,
           "the broker hears how many ranks there are");
    expect(ready.rounds == groups.rounds().ports_of(groups.position),
           "it accepts as the plan says");
    auto ports = ready.ports;
    std::ranges::sort(ports);
    expect(std::ranges::adjacent_find(ports) == ports.end() && ports.size() == ready.rounds.size(),
           "each round has a port of its own");
}

void groups_connect_in_the_rounds_of_the_broker(int of) {
    Groups groups(mpi::duplicate(MPI_COMM_WORLD), of);
    Mailbox mail;
    Broker broker(groups, mail);
    int others = 0;
    const auto formed = form_groups(groups.added, {groups.mine, std::move(groups.comm)}, broker,
                                    mail, [&others](const auto&) { ++others; });
    expect_order_of_ids(groups, formed, groups.world);
    expect(others == (of > 1 ? 1 : 0), "other messages are not lost");
    const auto said = broker.take();
    if (groups.in_group > 0) return expect(said.empty(), "the first rank speaks for its group");
    expect_ready(groups, said.at(0));
    std::vector<int> done;
    for (std::size_t i = 1; i < said.size(); ++i)
        done.push_back(std::get<wire::RoundDone>(said[i]).round);
    expect(done == groups.rounds().ports_of(groups.position),
           "the first rank of the set that accepts reports the round");
}

/// An intercommunicator between ranks `upper` and `lower` of the world. Null on other ranks.
mpi::Comm between(const mpi::Comm& world, int upper, int lower) {
    const int rank = world.rank();
    if (rank != upper && rank != lower) return {};
    return mpi::intercomm_create(mpi::duplicate_self(), 0, world.get(),
                                 rank == upper ? lower : upper, lower);
}

// Rank 0 of the world has started the first group. The first rank of each group has started the
// next group.
void groups_connect_by_the_ports_of_a_tree(int of) {
    const auto world = mpi::duplicate(MPI_COMM_WORLD);
    const bool source = world.rank() == 0;
    Groups groups(world.split(source ? 0 : 1, world.rank()), source ? 1 : of);
    TreePlace tree;
    tree.transaction = resize;
    mpi::SharedComm child;
    for (int i = 0, upper = 0; i < of; ++i) {
        const int first = 1 + (world.size() - 1) * i / of;  // the first rank of group i
        auto comm = between(world, upper, first);
        if (world.rank() == first)
            tree.parents = std::move(comm);
        else if (comm)
            child = mpi::share(std::move(comm));
        upper = first;
    }
    if (source)
        return spawn_over_mpi()->share_ports({resize, {Rank{0}}}, mpi::duplicate_self(), {child},
                                             [] { return true; });
    tree.starts_others = child != nullptr;
    Mailbox mail;
    FakeChannel agent;
    mail.put(wire::ResizePending{resize, true, {}});
    if (tree.starts_others) {
        mail.put(wire::SpawnGroup{});
        mail.put(wire::SharePorts{resize, {}});
    }
    // The rank starts its child group only when the order comes.
    const OtherMessage otherwise = [&](const wire::ToRank& message) {
        if (std::holds_alternative<wire::SpawnGroup>(message)) tree.children.push_back(child);
        if (std::holds_alternative<wire::SharePorts>(message)) tree.has_started_all = true;
    };
    const auto formed = form_groups(groups.added, {groups.mine, std::move(groups.comm)}, agent,
                                    mail, otherwise, &tree);
    expect_order_of_ids(groups, formed, groups.world);
    const auto said = agent.take();
    expect(said.size() == (groups.in_group == 0 ? 1U : 0U), "the broker orders no rounds");
    if (!said.empty()) expect_ready(groups, said.front());
}

}  // namespace
}  // namespace ductile::engine

int main(int argc, char** argv) {
    return ductile::engine::run_on_ranks(argc, argv, [] {
        int size = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        for (int groups = 1; groups <= size; ++groups)
            ductile::engine::groups_connect_in_the_rounds_of_the_broker(groups);
        for (int groups = 1; groups < size; ++groups)
            ductile::engine::groups_connect_by_the_ports_of_a_tree(groups);
    });
}
