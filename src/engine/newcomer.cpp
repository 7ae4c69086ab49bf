#include "engine/newcomer.hpp"

#include <algorithm>
#include <optional>

#include "engine/bridge.hpp"
#include "engine/form_groups.hpp"
#include "engine/join_job.hpp"
#include "engine/spawn_group.hpp"
#include "mpi/dies_alone.hpp"
#include "mpi/spawn.hpp"
#include "mpi/wait_asleep.hpp"
#include "plan/rank_order.hpp"

namespace ductile::engine {

namespace {

mpi::SharedComm connect_bridge(AgentChannel& link, const wire::ConnectBridge& where) {
    const auto& welcome = link.welcome();
    const auto self = mpi::duplicate_self();
    link.send(wire::ConnectStarting{welcome.transaction});
    const auto connection = mpi::connect(where.port, self);
    send_hello(connection, {welcome.transaction, welcome.secret}, after(welcome_within));
    auto bridge = mpi::share(mpi::merge(connection, true));
    link.send(wire::Bridged{welcome.transaction, true, {}, 0, false});
    return bridge;
}

bool is_given_up(core::TransactionId resize, Mailbox& mail) {
    return mail.holds([&](const wire::ToRank& message) {
        const auto* pending = std::get_if<wire::ResizePending>(&message);
        return pending != nullptr && !pending->on && pending->transaction == resize;
    });
}

// The bridge of a group that ranks of the job have started.
mpi::SharedComm bridge_to_parents(const mpi::Comm& parents, AgentChannel& link, Mailbox& mail) {
    const auto& welcome = link.welcome();
    if (!parents || welcome.bridge == wire::SpawnBridge::no) return nullptr;
    const int starters = welcome.bridge == wire::SpawnBridge::by_all ? welcome.base_ranks : 1;
    const auto given_up = [&] { return is_given_up(welcome.transaction, mail); };
    // The new ranks may compute between MPI_Init and the constructor of their Job. Meanwhile their
    // parents must not wait inside MPI.
    MPI_Request met = MPI_REQUEST_NULL;
    mpi::check(MPI_Ibarrier(MPI_COMM_WORLD, &met), "MPI_Ibarrier");
    if (!mpi::wait_collective_asleep_unless(met, "MPI_Ibarrier", given_up))
        throw TimeoutError("the resize was given up while new ranks were started");
    if (parents.rank() == 0) link.send(wire::ReadyToMerge{welcome.transaction});
    send_hello_to_parents(parents, {welcome.transaction, welcome.secret}, given_up);
    auto bridge = bridge_of_spawn(parents, welcome.bridge, starters, true);
    if (bridge) link.send(wire::Bridged{welcome.transaction, true, {}, 0, false});
    return bridge;
}

// Starts a group, unless the resize has been given up meanwhile.
mpi::SharedComm start_others(const wire::SpawnGroup& order, SpawnSteps& mpi, AgentChannel& link,
                             Mailbox& mail) {
    if (!is_given_up(order.transaction, mail)) return spawn_group(order, nullptr, mpi, link);
    leave_out(order, link);
    return nullptr;
}

core::Rank rank_in_world() {
    int rank = 0;
    mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    return core::Rank{rank};
}

// Sleeps between tests, because late ranks need the cores.
void wait_at_barrier(const mpi::Comm& newcomers) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Ibarrier(newcomers.get(), &request), "MPI_Ibarrier");
    mpi::wait_asleep(request, "MPI_Ibarrier");
}

}  // namespace

Membership become_member(AgentChannel& link, core::GroupId mine, Mailbox& mail,
                         data::Registry& registry, const Schema& schema, const OwnWork& prepare,
                         const MpiCalls& mpi) {
    const auto& welcome = link.welcome();
    std::optional<mpi::DiesAlone> alone;  // until the process is a member
    if (welcome.role == wire::Role::newcomer) alone.emplace();
    link.send(wire::MpiRuns{});
    const auto added = wire::to_groups(welcome.added);
    // The broker makes the first group that is ready the leader. This group connects to the program
    // while the other groups still start.
    TreePlace tree;
    tree.transaction = welcome.transaction;
    tree.parents = mpi::take_parent();
    auto bridge = bridge_to_parents(tree.parents, link, mail);
    const bool by_tree = welcome.readiness == wire::Readiness::tree && tree.parents;
    if (!by_tree) tree.parents.reset();
    tree.starts_others = std::ranges::count(welcome.starters, rank_in_world()) > 0;
    const OtherMessage otherwise = [&](const wire::ToRank& message) {
        if (const auto* where = std::get_if<wire::ConnectBridge>(&message))
            bridge = connect_bridge(link, *where);
        else if (const auto* order = std::get_if<wire::SpawnGroup>(&message);
                 order != nullptr && order->transaction == welcome.transaction) {
            auto child = start_others(*order, *mpi.spawn, link, mail);
            tree.is_broken = tree.is_broken || !child;
            if (by_tree && child) tree.children.push_back(std::move(child));
        } else if (const auto* all = std::get_if<wire::SharePorts>(&message);
                   all != nullptr && all->transaction == welcome.transaction)
            tree.has_started_all = true;
    };
    auto formed = mpi::share(form_groups(added, {mine, mpi::duplicate(MPI_COMM_WORLD)}, link, mail,
                                         otherwise, by_tree ? &tree : nullptr));
    tree = {};
    if (welcome.role == wire::Role::newcomer && !schema.prepare().empty()) {
        prepare();
        wait_at_barrier(*formed);
    }
    if (formed->rank() == 0) link.send(wire::Formed{});
    Membership membership;
    if (welcome.role == wire::Role::initial) {
        membership.comms = with_duplicates(mpi::Comm::adopt(formed->release()));
        const auto commit = mail.wait_for<wire::Commit>(otherwise);
        membership.layout = commit.layout;
        membership.point = commit.point;
        return membership;
    }
    JoinSide side;
    side.local = formed;
    side.newcomers = true;
    side.transaction = welcome.transaction;
    const auto join = mail.wait_for<wire::Join>(otherwise);
    side.leader = plan::order_key(added, join.leader, core::Rank{0});
    side.bridge = bridge;
    side.partners = partners_beyond(wire::to_ranges(join.everybody), welcome.base_ranks,
                                    core::Rank{welcome.base_ranks + formed->rank()});
    return join_job(side, join.background, {link, mail, registry, schema, otherwise}, mpi);
}

}  // namespace ductile::engine
