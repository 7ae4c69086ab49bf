// Which process has a rank of a group: what this process can answer. No MPI, no clock.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "groups/packets.hpp"
#include "groups/recent_map.hpp"
#include "tree/rank_directory.hpp"

namespace ductile::groups {

/// Of a group whose ranks are by level (shrink-and-hash) H(rank) keeps the entry of each rank. Of
/// any other one each member knows its own rank and passes a question on along the group's tree: up
/// to the root, then down.
///
/// A member may end a group while another, who was slower, still looks for a rank of it: the last
/// groups that were closed here, and the last entries that were forgotten, still answer.
class RankResolver {
  public:
    explicit RankResolver(tree::ProcessId self) : self_(self) {}

    /// A member of a group that `enrolment` makes says its rank.
    void on_register(tree::ProcessId from, GroupKey enrolment, const tree::Register& entry,
                     PacketOutbox& out);
    /// It has ended the group.
    void on_forget(GroupKey enrolment, tree::Colour colour, int rank);
    /// A question that cannot be answered yet waits: the group is still being made.
    void on_ask(GroupKey key, const Ask& ask, PacketOutbox& out);

    /// This process is in a group whose tree is asked. `position` lives until close().
    void open(GroupKey group, const tree::TreePosition& position, PacketOutbox& out);
    void close(GroupKey group, const tree::TreePosition& position);

  private:
    struct Waiting {
        GroupKey key;
        Ask ask;
    };
    struct Entry {
        GroupKey enrolment;
        tree::Colour colour;
        int rank = 0;
        auto operator<=>(const Entry&) const = default;
    };

    void ask_again(GroupKey key, PacketOutbox& out);
    bool answer(GroupKey key, const Ask& ask, PacketOutbox& out);
    bool answer_by_tree(GroupKey group, const Ask& ask, PacketOutbox& out);
    [[nodiscard]] std::optional<tree::ProcessId> holder(const Entry& entry) const;
    [[nodiscard]] const tree::TreePosition* position_of(GroupKey group) const;

    static constexpr std::size_t most_kept = 1024;

    const tree::ProcessId self_;
    std::unordered_map<std::uint64_t, tree::RankDirectories> directories_;  // by enrolment
    RecentMap<Entry, tree::ProcessId> forgotten_{most_kept};
    std::unordered_map<std::uint64_t, const tree::TreePosition*> live_;  // by group
    RecentMap<std::uint64_t, tree::TreePosition> closed_{most_kept};
    std::vector<Waiting> waiting_;
};

}  // namespace ductile::groups
