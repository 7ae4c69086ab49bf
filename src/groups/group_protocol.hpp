// What one process does so that groups are made, found and ended. Packets in, packets out: no MPI,
// no clock.
#pragma once

#include <optional>

#include "groups/enrolments.hpp"
#include "groups/rank_queries.hpp"
#include "groups/rank_resolver.hpp"
#include "tree/method.hpp"

namespace ductile::groups {

/// A group: the enrolment that made it, and its colour there.
struct GroupName {
    GroupKey enrolment;
    tree::Colour colour;
    [[nodiscard]] GroupKey key() const {
        return enrolment.next(static_cast<std::uint32_t>(colour.value));
    }
};

/// Of one process out of `size`. Packets between two processes must arrive in the order in which
/// they were sent.
class GroupProtocol {
  public:
    GroupProtocol(tree::ProcessId self, int size) : self_(self), size_(size), resolver_(self) {}

    /// Throws SystemError when the packet is nothing that a process can say.
    void on_packet(const Packet& packet, PacketOutbox& out);

    // ---- making a group ----
    struct Enrolling {
        GroupKey key;
        tree::Method method;
        tree::TreePosition position;      ///< in the group out of which it is made
        std::optional<tree::Colour> own;  ///< none: it is in none of the new groups
        int also_in_use = 0;              ///< a label beside those of open groups, if any
    };
    /// From here to end_enrolling() there is no other. Throws UsageError when there is.
    void enrol(Enrolling what, PacketOutbox& out);
    [[nodiscard]] const std::optional<tree::TreePosition>& position(GroupKey enrolment) const {
        return enrolments_.position(enrolment);
    }
    /// Nobody will write to this process about this enrolment.
    [[nodiscard]] bool is_finished(GroupKey enrolment) const {
        return enrolments_.is_finished(enrolment);
    }
    /// The process goes on; what is left for it to do is done by on_packet().
    void end_enrolling(GroupKey enrolment) { enrolments_.stop_waiting(enrolment); }
    /// Others may still write about an enrolment.
    [[nodiscard]] bool expects_packets() const { return !enrolments_.empty(); }

    // ---- while it lives ----
    /// Its label is in use, and others may ask for its ranks. `position` lives until close().
    void open(const GroupName& group, const tree::TreePosition& position, PacketOutbox& out);
    void close(const GroupName& group, const tree::TreePosition& position, PacketOutbox& out);

    // ---- who has a rank ----
    [[nodiscard]] std::optional<tree::ProcessId> known(const GroupName& group, int rank) const {
        return queries_.known(group.key(), rank);
    }
    /// The number of the question.
    int ask(const GroupName& group, const tree::TreePosition& position, int rank,
            PacketOutbox& out);
    [[nodiscard]] bool is_answered(int question) const { return queries_.is_answered(question); }
    /// The end of the question, answered or not.
    std::optional<tree::ProcessId> take_answer(int question, const GroupName& group, int rank);

  private:
    void act_on(const Packet& packet, PacketOutbox& out);
    void on_build(tree::ProcessId from, GroupKey key, std::span<const std::int32_t> words,
                  PacketOutbox& out);
    [[nodiscard]] tree::HashFamily hashes_of(GroupKey enrolment) const;

    const tree::ProcessId self_;
    const int size_;
    tree::LabelSet labels_;
    Enrolments enrolments_;
    RankResolver resolver_;
    RankQueries queries_;
};

}  // namespace ductile::groups
