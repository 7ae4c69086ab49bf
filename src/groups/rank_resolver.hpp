// Answers questions about which process has a rank of a group, as far as this process knows. No
// MPI, no clock.
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

/// In a group made by shrink-and-hash, the process H(rank) keeps the entry of a rank
/// (tree/rank_hash.hpp). In any other group each member knows its own rank, and passes a question
/// on along the tree of the group: up to the root, then down.
///
/// A member may close a group while a slower member still looks for a rank of it. So the last
/// groups that were closed here, and the last entries that were removed, still answer.
class RankResolver {
  public:
    explicit RankResolver(tree::ProcessId self) : self_(self) {}

    /// The process `from` reports its rank in a group. `enrolment` makes this group.
    void on_register(tree::ProcessId from, GroupKey enrolment, const tree::Register& entry,
                     PacketOutbox& out);
    /// The member with this rank has closed the group.
    void on_forget(GroupKey enrolment, tree::Colour colour, int rank);
    /// Answers the question, or passes it on. A question about a group that is still being made
    /// waits.
    void on_ask(GroupKey key, const Ask& ask, PacketOutbox& out);

    /// This process is now a member of the group. It answers questions that come along the tree of
    /// the group. `position` must live until close().
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
