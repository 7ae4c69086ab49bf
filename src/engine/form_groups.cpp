#include "engine/form_groups.hpp"

#include <algorithm>
#include <utility>

#include "engine/spawn_tree.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/port_table.hpp"
#include "plan/rank_order.hpp"

namespace ductile::engine {

namespace {

std::string library_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    mpi::check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
    return std::string(text, static_cast<std::size_t>(length)).substr(0, wire::limits::text_bytes);
}

int position_of(const std::vector<core::Group>& groups, core::GroupId id) {
    const auto it =
        std::find_if(groups.begin(), groups.end(), [id](const auto& g) { return g.id == id; });
    if (it == groups.end())
        throw UsageError("group " + std::to_string(id.value) + " is not one of those that start");
    return static_cast<int>(it - groups.begin());
}

wire::ConnectRound wait_for_round(Mailbox& mail, int round, const OtherMessage& otherwise) {
    for (;;) {
        const auto message = mail.take();
        if (const auto* order = std::get_if<wire::ConnectRound>(&message);
            order != nullptr && order->round == round)
            return *order;
        otherwise(message);
    }
}

// Waits until all groups are ready and returns their ports. Handles other messages meanwhile: the
// leader of the new groups must connect to the program's leader as soon as it can.
plan::PortTable ports_by_tree(const mpi::Comm& group, const plan::PortTable& own, TreePlace& tree,
                              Mailbox& mail, const OtherMessage& otherwise) {
    // In a broken tree this rank does not report readiness: the resize is being rolled back.
    while ((tree.starts_others && !tree.has_started_all) || tree.is_broken) otherwise(mail.take());
    const WaitFor wait = [&](MPI_Request& request) {
        for (;;) {
            int done = 0;
            mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
            if (done != 0) return true;
            if (const auto message = mail.take_for(std::chrono::microseconds(100)))
                otherwise(*message);
        }
    };
    const TreeExchange exchange{tree.transaction, wait};
    auto below = hear_children(tree.children, exchange).value();
    below.add(own);
    auto all = share_with_parents(group, tree.parents, below, exchange);
    tell_children(tree.children, all, exchange);
    return all;
}

}  // namespace

mpi::Comm form_groups(const std::vector<core::Group>& added, OwnGroup mine, AgentChannel& link,
                      Mailbox& mail, const OtherMessage& otherwise, TreePlace* tree) {
    auto set = std::move(mine.comm);
    const int in_group = set.rank();
    const int position = position_of(added, mine.id);
    const auto rounds = plan::connect_rounds(static_cast<int>(added.size()));
    plan::PortTable ports;
    if (in_group == 0) {
        wire::Ready ready;
        ready.ranks = set.size();
        ready.mpi = library_version();
        ready.rounds = rounds.ports_of(position);
        for (const int round : ready.rounds) ready.ports.push_back(mpi::open_port(round));
        for (std::size_t i = 0; i < ready.rounds.size(); ++i)
            ports.add(position, ready.rounds[i], ready.ports[i]);
        link.send(ready);
    }
    if (tree != nullptr) ports = ports_by_tree(set, ports, *tree, mail, otherwise);
    int leading = position;
    for (const auto& connection : plan::itinerary(rounds, position)) {
        const auto port = tree != nullptr ? ports.port(connection.acceptor, connection.round)
                                          : wait_for_round(mail, connection.round, otherwise).port;
        const bool accepts = connection.acceptor == leading;
        const auto between = accepts ? mpi::accept(port, set) : mpi::connect(port, set);
        set = mpi::merge(between, !accepts);
        leading = connection.acceptor;
        if (set.rank() == 0 && tree == nullptr) link.send(wire::RoundDone{connection.round});
    }
    if (added.size() > 1) set = set.split(0, plan::order_key(added, mine.id, core::Rank{in_group}));
    return set;
}

}  // namespace ductile::engine
