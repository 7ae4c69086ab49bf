#include "engine/form_groups.hpp"

#include <algorithm>

#include "plan/connect_rounds.hpp"
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

wire::Meet wait_for_meet(Mailbox& mail, int round, const OtherMessage& otherwise) {
    for (;;) {
        const auto message = mail.take();
        if (const auto* meet = std::get_if<wire::Meet>(&message);
            meet != nullptr && meet->round == round)
            return *meet;
        otherwise(message);
    }
}

}  // namespace

mpi::Comm form_groups(const std::vector<core::Group>& added, core::GroupId mine, AgentLink& link,
                      Mailbox& mail, const OtherMessage& otherwise) {
    auto set = mpi::duplicate(MPI_COMM_WORLD);
    const int in_group = set.rank();
    const int position = position_of(added, mine);
    const auto rounds = plan::connect_rounds(static_cast<int>(added.size()));
    if (in_group == 0) {
        wire::Ready ready;
        ready.ranks = set.size();
        ready.mpi = library_version();
        ready.rounds = rounds.ports_of(position);
        for (const int round : ready.rounds) ready.ports.push_back(mpi::open_port(round));
        link.send(ready);
    }
    int leading = position;
    for (const auto& meeting : plan::itinerary(rounds, position)) {
        const auto meet = wait_for_meet(mail, meeting.round, otherwise);
        const bool accepts = meeting.acceptor == leading;
        const auto between = accepts ? mpi::accept(meet.port, set) : mpi::connect(meet.port, set);
        set = mpi::merge(between, !accepts);
        leading = meeting.acceptor;
        if (set.rank() == 0) link.send(wire::RoundDone{meeting.round});
    }
    if (added.size() > 1) set = set.split(0, plan::order_key(added, mine, core::Rank{in_group}));
    if (set.rank() == 0) link.send(wire::Formed{});
    return set;
}

}  // namespace ductile::engine
