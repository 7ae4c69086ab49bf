// A process that was started for a job, until it joins. The ranks of MPI_COMM_WORLD play one new
// group. The test plays the broker and the ranks of the program.
#include "engine/newcomer.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "ductile/error.hpp"
#include "engine/mpi_join_steps.hpp"
#include "expect.hpp"
#include "fake_channel.hpp"
#include "fake_join_steps.hpp"

namespace ductile::engine {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;
using core::TransactionId;

constexpr TransactionId resize{7}, another{8};
constexpr GroupId mine{4};
constexpr int sources = 2;

core::Group group(GroupId id, int ranks) {
    return {id, HostIndex{id.value}, ranks, {}};
}

struct Newcomer {
    int size, rank;
    FakeChannel agent;
    Mailbox mail;
    data::Registry registry;
    Schema schema;
    FakeMpi fakes;
    OwnWork prepare = [] {};

    explicit Newcomer(wire::Role role) {
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        agent.answer.role = role;
        agent.answer.transaction = resize;
        agent.answer.base_ranks = role == wire::Role::newcomer ? sources : 0;
        agent.answer.added = wire::to_fields(std::vector{group(mine, size)});
        fakes.join->at["handshake"] = [](data::Progress&) { throw SystemError("far enough"); };
    }
    Membership become() {
        auto mpi = calls_over_mpi();
        mpi.join = fakes.join;
        mpi.spawn = fakes.spawn;
        return become_member(agent, mine, mail, registry, schema, prepare, mpi);
    }
    /// Why it does not become a member.
    std::string failure() {
        try {
            become();
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing has failed";
    }
    void let_join() {
        wire::Join join;
        join.transaction = resize;
        join.leader = mine;
        join.everybody = wire::to_fields(everybody());
        mail.put(join);
    }
    /// All ranks after the resize, one on each host.
    [[nodiscard]] std::vector<core::RankRange> everybody() const {
        std::vector<core::RankRange> all;
        for (int i = 0; i < sources; ++i) all.push_back({GroupId{i}, HostIndex{i}, Rank{0}, 1});
        for (int i = 0; i < size; ++i) all.push_back({mine, HostIndex{sources + i}, Rank{i}, 1});
        return all;
    }
};

wire::SpawnGroup order_to_start(TransactionId of) {
    wire::SpawnGroup order;
    order.transaction = of;
    order.group = GroupId{5};
    order.ranks = 1;
    return order;
}

void a_first_group_waits_for_the_commit() {
    Newcomer first(wire::Role::initial);
    first.schema.on_prepare([](Place) {});
    first.prepare = [] { expect(false, "a job that starts prepares nothing"); };
    wire::Commit commit;
    commit.point = 3;
    const auto layout = core::Layout::of({group(mine, first.size)});
    commit.layout = wire::LayoutFields(layout);
    first.mail.put(wire::ResizePending{another, true, {}});
    first.mail.put(commit);
    const auto membership = first.become();
    expect(membership.point == 3 && membership.layout == layout, "it is as the broker says");
    const auto& comms = membership.comms;
    for (const auto& comm : {comms.job, comms.vote, comms.switching})
        expect(comm && comm->size() == first.size && comm->rank() == first.rank, "all are in it");

    const auto said = first.agent.take();
    expect(said.size() == (first.rank == 0 ? 3U : 1U), "rank 0 speaks for its group");
    expect(std::holds_alternative<wire::MpiRuns>(said.at(0)), "MPI runs, first of all");
    if (first.rank != 0) return;
    const auto& ready = std::get<wire::Ready>(said.at(1));
    expect(ready.ranks == first.size && !ready.mpi.empty(), "the group is ready");
    expect(ready.rounds.empty() && ready.ports.empty(), "one group meets no other");
    expect(std::holds_alternative<wire::Formed>(said.at(2)), "the groups are formed");
}

void a_newcomer_knows_its_side_of_the_join() {
    Newcomer newcomer(wire::Role::newcomer);
    newcomer.prepare = [] { expect(false, "the program prepares nothing"); };
    newcomer.let_join();
    JoinSide side;
    newcomer.fakes.join->on_handshake = [&side](const JoinSide& its) { side = its; };
    expect(newcomer.failure() == "far enough", "it goes as far as the join");
    expect(side.newcomers && side.transaction == resize && !side.bridge, "its side");
    expect(side.local && side.local->size() == newcomer.size, "all newcomers");
    expect(side.leader == 0, "the first rank of the broker's leader group leads");
    expect(side.partners ==
               partners_beyond(newcomer.everybody(), sources, Rank{sources + newcomer.rank}),
           "its partners among the sources");
}

void what_the_program_prepares_comes_before_the_group_is_formed() {
    Newcomer newcomer(wire::Role::newcomer);
    bool has_prepared = false;
    newcomer.schema.on_prepare([](Place) {});
    newcomer.prepare = [&] {
        has_prepared = true;
        expect(!newcomer.agent.has_said<wire::Formed>(), "nobody waits for it yet");
    };
    newcomer.let_join();
    expect(newcomer.failure() == "far enough" && has_prepared, "it has prepared");
    expect(newcomer.agent.has_said<wire::Formed>() == (newcomer.rank == 0), "then it is formed");
}

void who_cannot_prepare_forms_no_group() {
    Newcomer newcomer(wire::Role::newcomer);
    newcomer.schema.on_prepare([](Place) {});
    newcomer.prepare = [] { throw SystemError("no memory"); };
    newcomer.let_join();
    expect(newcomer.failure() == "no memory", "its reason comes out");
    expect(!newcomer.agent.has_said<wire::Formed>(), "the broker waits for no join");
    expect(newcomer.fakes.join->take_steps().empty(), "nothing is joined");
}

void it_starts_the_groups_of_its_own_resize() {
    Newcomer newcomer(wire::Role::newcomer);
    newcomer.mail.put(order_to_start(another));
    newcomer.mail.put(order_to_start(resize));
    newcomer.let_join();
    expect(newcomer.failure() == "far enough", "it goes as far as the join");
    expect(newcomer.fakes.spawn->take_steps() == std::vector<std::string>{"start 5"}, "once");
    const auto said = newcomer.agent.take();
    const auto& spawned = std::get<wire::Spawned>(said.back());
    expect(spawned.ok && spawned.transaction == resize && spawned.group == GroupId{5},
           "it says so");
}

void it_starts_nothing_when_the_resize_is_given_up() {
    for (const auto given_up : {resize, another}) {
        Newcomer newcomer(wire::Role::newcomer);
        newcomer.mail.put(order_to_start(resize));
        newcomer.mail.put(wire::ResizePending{resize, true, {}});
        newcomer.mail.put(wire::ResizePending{given_up, false, {}});
        newcomer.let_join();
        expect(newcomer.failure() == "far enough", "its agent ends it, not this order");
        const auto spawned = std::get<wire::Spawned>(newcomer.agent.take().back());
        expect(spawned.ok == (given_up == another), "the answer says whether it has started");
        expect(newcomer.fakes.spawn->take_steps().empty() == !spawned.ok, "nothing is started");
    }
}

/// The program's leader, which has a port. The last rank plays it after its own part.
struct Leader {
    std::shared_ptr<JoinSteps> mpi = calls_over_mpi().join;
    std::array<char, MPI_MAX_PORT_NAME> port{};
    const int rank;

    explicit Leader(int size) : rank(size - 1) {
        int me = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &me);
        if (me == rank) mpi->open_port().copy(port.data(), port.size() - 1);
        MPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, rank, MPI_COMM_WORLD);
    }
    [[nodiscard]] Accepted accept() const {
        return mpi->accept(port.data(), {resize, "the secret"});
    }
};

/// Lets the newcomer join. On rank 0, the broker tells it to connect to the leader. Returns why it
/// does not become a member.
std::string connects_to(const Leader& leader, Newcomer& newcomer, const std::string& secret) {
    newcomer.agent.answer.secret = secret;
    if (newcomer.rank == 0) newcomer.mail.put(wire::ConnectBridge{resize, leader.port.data()});
    newcomer.let_join();
    return newcomer.failure();
}

void it_connects_to_the_programs_leader() {
    Newcomer newcomer(wire::Role::newcomer);
    const Leader leader(newcomer.size);
    JoinSide side;
    newcomer.fakes.join->on_handshake = [&side](const JoinSide& its) { side = its; };
    expect(connects_to(leader, newcomer, "the secret") == "far enough", "it goes to the join");
    int word = 0;
    if (newcomer.rank == leader.rank) {
        const auto accepted = leader.accept();
        expect(accepted.answer == BridgeAnswer::welcome, "it has the secret");
        expect(accepted.bridge && accepted.bridge->rank() == 0, "the leader is rank 0");
        word = 41;
        if (accepted.bridge) MPI_Send(&word, 1, MPI_INT, 1, 1, accepted.bridge->get());
    }
    expect((side.bridge != nullptr) == (newcomer.rank == 0), "who has connected has the bridge");
    if (!side.bridge) return;
    expect(side.bridge->rank() == 1, "the newcomer is rank 1");
    MPI_Recv(&word, 1, MPI_INT, 0, 1, side.bridge->get(), MPI_STATUS_IGNORE);
    expect(word == 41, "they hear each other");
    const auto said = newcomer.agent.take();
    const auto& starting = std::get<wire::ConnectStarting>(said.at(said.size() - 2));
    expect(starting.transaction == resize, "the leader accepts when it hears this");
    const auto& bridged = std::get<wire::Bridged>(said.back());
    expect(bridged.ok && bridged.transaction == resize, "then the bridge stands");
}

void who_is_not_welcome_has_no_bridge() {
    Newcomer newcomer(wire::Role::newcomer);
    const Leader leader(newcomer.size);
    const auto why = connects_to(leader, newcomer, "a guess");
    if (newcomer.rank == leader.rank)
        expect(leader.accept().answer == BridgeAnswer::unauthenticated, "not the secret");
    if (newcomer.rank != 0) return;
    expect(why.find("did not answer the hello") != std::string::npos, "it does not wait for ever");
    expect(!newcomer.agent.has_said<wire::Bridged>(), "there is no bridge");
}

void all() {
    a_first_group_waits_for_the_commit();
    a_newcomer_knows_its_side_of_the_join();
    what_the_program_prepares_comes_before_the_group_is_formed();
    who_cannot_prepare_forms_no_group();
    it_starts_the_groups_of_its_own_resize();
    it_starts_nothing_when_the_resize_is_given_up();
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1) return;  // no other rank can play the leader
    it_connects_to_the_programs_leader();
    if (size == 2) who_is_not_welcome_has_no_bridge();  // takes 30 s
}

}  // namespace
}  // namespace ductile::engine

int main(int argc, char** argv) {
    return ductile::engine::run_on_ranks(argc, argv, [] { ductile::engine::all(); });
}
