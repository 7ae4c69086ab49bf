#include "engine/form_groups.hpp"

#include <algorithm>

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

wire::ConnectRound wait_for_meet(Mailbox& mail, int round, const OtherMessage& otherwise) {
    for (;;) {
        const auto message = mail.take();
        if (const auto* meet = std::get_if<wire::ConnectRound>(&message);
            meet != nullptr && meet->round == round)
            return *meet;
        otherwise(message);
    }
}

// The ports of all groups, when all are ready. Messages are taken meanwhile: who leads the new
// groups is to connect to the program's leader as soon as it can.
plan::PortTable ports_by_tree(const mpi::Comm& group, const plan::PortTable& own, TreePlace& tree,
                              Mailbox& mail, const OtherMessage& otherwise) {
    // Of a broken tree nobody hears that it is ready: its resize is being rolled back.
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
    const TreeWay way{tree.transaction, wait};
    auto below = hear_children(tree.children, way).value();
    below.add(own);
    auto all = share_with_parents(group, tree.parents, below, way);
    tell_children(tree.children, all, way);
    return all;
}

}  // namespace

mpi::Comm form_groups(const std::vector<core::Group>& added, core::GroupId mine, AgentChannel& link,
                      Mailbox& mail, const OtherMessage& otherwise, TreePlace* tree) {
    auto set = mpi::duplicate(MPI_COMM_WORLD);
    const int in_group = set.rank();
    const int position = position_of(added, mine);
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
    for (const auto& meeting : plan::itinerary(rounds, position)) {
        const auto port = tree != nullptr ? ports.port(meeting.acceptor, meeting.round)
                                          : wait_for_meet(mail, meeting.round, otherwise).port;
        const bool accepts = meeting.acceptor == leading;
        const auto between = accepts ? mpi::accept(port, set) : mpi::connect(port, set);
        set = mpi::merge(between, !accepts);
        leading = meeting.acceptor;
        if (set.rank() == 0 && tree == nullptr) link.send(wire::RoundDone{meeting.round});
    }
    if (added.size() > 1) set = set.split(0, plan::order_key(added, mine, core::Rank{in_group}));
    return set;
}

}  // namespace ductile::engine
