#include "engine/newcomer.hpp"

#include <algorithm>
#include <optional>

#include "data/largest_of_all.hpp"
#include "data/redistribution.hpp"
#include "engine/bridge.hpp"
#include "engine/expand_attempt.hpp"
#include "engine/form_groups.hpp"
#include "engine/join.hpp"
#include "engine/move_ahead.hpp"
#include "engine/program_moves.hpp"
#include "engine/spawn_group.hpp"
#include "engine/switch_tags.hpp"
#include "mpi/dies_alone.hpp"
#include "mpi/spawn.hpp"
#include "mpi/wait_asleep.hpp"
#include "plan/rank_order.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

template <class Wanted>
Wanted wait_for(Mailbox& mail, const OtherMessage& otherwise) {
    for (;;) {
        auto message = mail.take();
        if (auto* wanted = std::get_if<Wanted>(&message)) return std::move(*wanted);
        otherwise(message);
    }
}

mpi::SharedComm connect_bridge(AgentChannel& link, const wire::ConnectBridge& where) {
    const auto& welcome = link.welcome();
    const auto self = mpi::duplicate_self();
    link.send(wire::ConnectStarting{welcome.transaction});
    const auto connection = mpi::connect(where.port, self);
    send_hello(connection, {welcome.transaction, welcome.secret});
    auto bridge = mpi::share(mpi::merge(connection, true));
    link.send(wire::Bridged{welcome.transaction, true, {}, 0, false});
    return bridge;
}

// Of a group that ranks of the job have started.
mpi::SharedComm bridge_to_parents(const mpi::Comm& parents, AgentChannel& link,
                                  const wire::RankWelcome& welcome) {
    if (!parents || welcome.bridge == wire::SpawnBridge::no) return nullptr;
    const int starters = welcome.bridge == wire::SpawnBridge::by_all ? welcome.base_ranks : 1;
    greet_parents(parents, {welcome.transaction, welcome.secret});
    auto bridge = bridge_of_spawn(parents, welcome.bridge, starters, true);
    if (bridge) link.send(wire::Bridged{welcome.transaction, true, {}, 0, false});
    return bridge;
}

// Unless the resize has been given up meanwhile.
mpi::Comm start_others(const wire::SpawnGroup& order, AgentChannel& link, Mailbox& mail) {
    const bool given_up = mail.holds([&](const wire::ToRank& message) {
        const auto* underway = std::get_if<wire::ResizePending>(&message);
        return underway != nullptr && !underway->on && underway->transaction == order.transaction;
    });
    if (!given_up) return spawn_group(order, nullptr, link);
    leave_out(order, link);
    return {};
}

core::Rank rank_in_world() {
    int rank = 0;
    mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    return core::Rank{rank};
}

// A request that is looked at now and then, asleep between.
bool complete(MPI_Request& request) {
    int done = 0;
    mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
}

// Without a core: those that are late need theirs.
void meet_asleep(const mpi::Comm& newcomers) {
    MPI_Request met = MPI_REQUEST_NULL;
    mpi::check(MPI_Ibarrier(newcomers.get(), &met), "MPI_Ibarrier");
    mpi::wait_asleep(met, "MPI_Ibarrier");
}

// Whichever comes first counts: the leader's word over the bridge, or the agent's. The leader
// passes it on.
void wait_for_commit(const mpi::Comm& newcomers, int leader, const mpi::SharedComm& bridge,
                     Mailbox& mail) {
    static int word = 0;  // outlives a receive that is never completed
    int passed_on = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    bool committed = false;
    const auto sleep_or_hear = [&] {
        if (const auto message = mail.take_for(500us);
            message && std::holds_alternative<wire::Commit>(*message))
            committed = true;
    };
    if (bridge) {
        mpi::check(MPI_Irecv(&word, 1, MPI_INT, 0, commit_tag, bridge->get(), &request),
                   "MPI_Irecv");
        while (!committed && !complete(request)) sleep_or_hear();
        passed_on = 1;
    }
    MPI_Request passing = MPI_REQUEST_NULL;
    mpi::check(MPI_Ibcast(&passed_on, 1, MPI_INT, leader, newcomers.get(), &passing), "MPI_Ibcast");
    while (!complete(passing)) sleep_or_hear();
    // The source's word is on its way even if the agent's was faster.
    for (int i = 0; request != MPI_REQUEST_NULL && !complete(request) && i < 10000; ++i)
        sleep_or_hear();
}

}  // namespace

Membership become_member(AgentChannel& link, core::GroupId mine, Mailbox& mail,
                         data::Registry& registry, const Schema& schema, const OwnWork& prepare) {
    const auto& welcome = link.welcome();
    std::optional<mpi::DiesAlone> alone;  // until it is a member
    if (welcome.role == wire::Role::newcomer) alone.emplace();
    link.send(wire::MpiRuns{});
    const auto added = wire::to_groups(welcome.added);
    // The broker makes the group that is ready first the leader, which is joined with the program's
    // while the others still start.
    TreePlace tree;
    tree.transaction = welcome.transaction;
    tree.parents = mpi::take_parent();
    auto bridge = bridge_to_parents(tree.parents, link, welcome);
    const bool by_tree = welcome.readiness == wire::Readiness::tree && tree.parents;
    if (!by_tree) tree.parents.reset();
    tree.starts_others = std::ranges::count(welcome.starters, rank_in_world()) > 0;
    const OtherMessage otherwise = [&](const wire::ToRank& message) {
        if (const auto* where = std::get_if<wire::ConnectBridge>(&message))
            bridge = connect_bridge(link, *where);
        else if (const auto* order = std::get_if<wire::SpawnGroup>(&message);
                 order != nullptr && order->transaction == welcome.transaction) {
            auto child = start_others(*order, link, mail);
            tree.is_broken = tree.is_broken || !child;
            if (by_tree && child) tree.children.push_back(std::move(child));
        } else if (const auto* all = std::get_if<wire::SharePorts>(&message);
                   all != nullptr && all->transaction == welcome.transaction)
            tree.has_started_all = true;
    };
    auto formed =
        mpi::share(form_groups(added, mine, link, mail, otherwise, by_tree ? &tree : nullptr));
    tree = {};
    if (welcome.role == wire::Role::newcomer && !schema.prepare().empty()) {
        prepare();
        meet_asleep(*formed);
    }
    if (formed->rank() == 0) link.send(wire::Formed{});
    Membership membership;
    if (welcome.role == wire::Role::initial) {
        membership.comms = with_duplicates(mpi::Comm::adopt(formed->release()));
        const auto commit = wait_for<wire::Commit>(mail, otherwise);
        membership.layout = commit.layout;
        membership.point = commit.point;
        return membership;
    }
    JoinSide side;
    side.local = formed;
    side.newcomers = true;
    side.transaction = welcome.transaction;
    const auto join = wait_for<wire::Join>(mail, otherwise);
    side.leader = plan::order_key(added, join.leader, core::Rank{0});
    side.bridge = bridge;
    side.partners = partners_beyond(wire::to_ranges(join.everybody), welcome.base_ranks,
                                    core::Rank{welcome.base_ranks + formed->rank()});
    if (side.bridge) {
        const int word = 1;
        mpi::check(MPI_Send(&word, 1, MPI_INT, 0, entering_tag, side.bridge->get()), "MPI_Send");
    }
    data::Progress progress;
    meet(side, progress);
    auto connected = connect_sides(side, progress);
    data::MovedAhead ahead;
    if (join.background) {
        const auto both = exchange_state(connected, {}, progress);
        MoveAhead what(both, welcome.base_ranks, {}, progress);
        what.agree();
        what.give_homes(registry);
        ahead = what.move(welcome.verify);
        wait_for<wire::Proceed>(mail, otherwise);
    }
    JoinState state;
    data::PackedState packed;
    data::Parties parties;
    std::vector<data::Block> parts;
    const OwnPart allocation{
        "new rank " + std::to_string(formed->rank() + 1) + " of " + std::to_string(formed->size()),
        [&](const JoinedSides& all) {
            state = unpack_join_state(all.state);
            packed = data::unpack_state(state.packed);
            data::give_homes(registry, packed.arrays);
            parties = parties_of(state, welcome.base_ranks, *all.comms.switching);
            parts = data::parts_with(ahead, core::Rank{all.comms.switching->rank()}, parties,
                                     packed.arrays);
        }};
    const auto joined = exchange_state(std::move(connected), {}, progress, allocation);
    const auto& arrays = packed.arrays;
    const auto& comm = *joined.comms.switching;
    const auto move = [&] {
        data::redistribute(
            state.redistribution, comm,
            data::rest_after(ahead, {parties, arrays, parts, welcome.verify, state.memory}),
            progress);
        let_program_move(telling_moves(schema, link, welcome.transaction), *joined.comms.job,
                         parties);
    };
    if (state.memory == plan::Memory::keep) move();
    data::keep_parts(registry, arrays, parts);
    data::adopt_values(registry, packed);
    auto comms = comms_after(joined.comms, parties, side, progress);
    wait_for_commit(*formed, side.leader, side.bridge, mail);
    if (state.memory == plan::Memory::tight) {
        link.send(wire::JoinedJob{});  // its death is a member's from now on
        move();
        data::largest_of_all(comm, 0, progress);  // who leaves has given all
    }
    membership.comms = std::move(comms);
    membership.layout = state.layout;
    membership.point = state.point;
    return membership;
}

}  // namespace ductile::engine
