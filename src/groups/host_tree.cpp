#include "groups/host_tree.hpp"

#include <array>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::groups {

namespace {

/// enrol_by_host() makes two enrolments. GroupKey::next() makes their keys from these numbers,
/// which are larger than any colour.
constexpr std::uint32_t of_hosts = 0xFFFFFFFFU, of_leaders = 0xFFFFFFFEU;

/// Combines a colour and a host into one colour.
tree::Colour with_host(const GroupSpace& space, tree::Colour colour) {
    const std::int64_t both = std::int64_t{colour.value} * space.size() + space.host().value;
    if (both > std::numeric_limits<int>::max())
        throw InputError("a process group by host has the colour " + std::to_string(colour.value) +
                         "; with " + std::to_string(space.size()) + " processes it may be " +
                         std::to_string(std::numeric_limits<int>::max() / space.size() - 1) +
                         " at most");
    return tree::Colour{static_cast<int>(both)};
}

/// What a leader learns about the whole group, and tells the members on its host.
struct Whole {
    int first = 0;  ///< rank of the leader
    int level = 0;
    int size = 0;
};

template <std::size_t count>
void send(GroupSpace& space, const OperationPlace& place, tree::ProcessId to,
          const std::array<int, count>& numbers) {
    space.run(start_send(place, reinterpret_cast<const std::byte*>(numbers.data()), count, MPI_INT,
                         to.value));
}

template <std::size_t count>
void receive(GroupSpace& space, const OperationPlace& place, tree::ProcessId from,
             std::array<int, count>& numbers) {
    space.run(start_receive(place, reinterpret_cast<std::byte*>(numbers.data()), count, MPI_INT,
                            from.value));
}

/// Numbers of members go up the tree of leaders, and first ranks come down. Sets the ranks of the
/// children.
Whole rank_hosts(GroupSpace& space, tree::TreePosition& leader, int members) {
    const OperationPlace place{space.messages(), leader.label * tags::a_label, &leader};
    int below = members;
    std::vector<std::array<int, 1>> of_children(leader.children.size());
    for (std::size_t i = 0; i < leader.children.size(); ++i) {
        receive(space, place, leader.children[i].id, of_children[i]);
        below += of_children[i][0];
    }
    std::array<int, 3> whole{0, 0, below};
    if (leader.parent) {
        send(space, place, *leader.parent, std::array{below});
        receive(space, place, *leader.parent, whole);
    }
    int first = whole[0] + members;
    for (std::size_t i = 0; i < leader.children.size(); ++i) {
        leader.children[i].rank = first;
        send(space, place, leader.children[i].id, std::array{first, whole[1] + 1, whole[2]});
        first += of_children[i][0];
    }
    return {whole[0], whole[1], whole[2]};
}

}  // namespace

std::optional<tree::TreePosition> enrol_by_host(GroupSpace& space, GroupKey enrolment,
                                                const tree::Method& method,
                                                const tree::TreePosition& position,
                                                std::optional<tree::Colour> own) {
    // A process that cannot take part enrols without a colour, so that others do not wait for it.
    std::exception_ptr failure;
    std::optional<tree::Colour> with;
    try {
        if (own) with = with_host(space, *own);
    } catch (const InputError&) {
        failure = std::current_exception();
    }
    const auto host = space.enrol(enrolment.next(of_hosts), method, position, with);
    // The label of the host's group is in use while the leaders' group is made.
    const int label = host ? host->label : 0;
    std::optional<tree::TreePosition> leaders;
    Whole whole;
    try {
        leaders = space.enrol(enrolment.next(of_leaders), method, position,
                              host && host->rank == 0 ? own : std::nullopt, label);
        if (leaders) whole = rank_hosts(space, *leaders, host->size);
    } catch (const Error&) {
        failure = std::current_exception();
        whole.size = -1;
    }
    if (host) {
        const OperationPlace place{space.comm(), host->label * tags::a_label, &*host};
        space.run(start_broadcast(place, reinterpret_cast<std::byte*>(&whole),
                                  {3, MPI_INT, sizeof(whole)}, host->rank == 0));
    }
    if (failure) std::rethrow_exception(failure);
    if (!host) return std::nullopt;
    if (whole.size < 0)
        throw SystemError(
            "a process group by host could not be made: the leader of this host failed");
    return join_trees(*host, leaders, whole.first, whole.level, whole.size);
}

tree::TreePosition join_trees(const tree::TreePosition& host,
                              const std::optional<tree::TreePosition>& leaders, int first,
                              int level, int size) {
    tree::TreePosition position = host;
    position.numbering = tree::Numbering::preorder;
    position.rank = first + host.rank;
    position.level = level + host.level;
    position.size = size;
    for (auto& child : position.children) child.rank += first;
    if (leaders) {
        position.parent = leaders->parent;
        position.children.insert(position.children.end(), leaders->children.begin(),
                                 leaders->children.end());
    }
    return position;
}

}  // namespace ductile::groups
