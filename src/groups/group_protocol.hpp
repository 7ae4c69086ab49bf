// What one process does to make, find and end groups. Packets in, packets out: no MPI, no clock.
#pragma once

#include <optional>

#include "groups/enrolments.hpp"
#include "groups/rank_queries.hpp"
#include "groups/rank_resolver.hpp"
#include "tree/method.hpp"

namespace ductile::groups {

/// The name of a group: the enrolment that made it, and its colour there.
struct GroupName {
    GroupKey enrolment;
    tree::Colour colour;
    [[nodiscard]] GroupKey key() const {
        return enrolment.next(static_cast<std::uint32_t>(colour.value));
    }
};

/// The protocol of one process out of `size`. Packets between two processes must arrive in the
/// order in which they were sent.
class GroupProtocol {
  public:
    GroupProtocol(tree::ProcessId self, int size) : self_(self), size_(size), resolver_(self) {}

    /// Throws SystemError for a packet that the protocol cannot have sent. Exception: ignores a
    /// question, an answer or a `forget` that has a wrong number of words.
    void on_packet(const Packet& packet, PacketOutbox& out);

    // ---- making a group ----
    struct Enrolling {
        GroupKey key;
        tree::Method method;
        tree::TreePosition position;      ///< in the group from which it is made
        std::optional<tree::Colour> own;  ///< none: the process is in none of the new groups
        int also_in_use = 0;  ///< one more label in use, beside the labels of open groups; 0: none
    };
    /// Begins an enrolment. Throws UsageError if end_enrolling() was not yet called for an earlier
    /// enrolment.
    void enrol(Enrolling what, PacketOutbox& out);
    [[nodiscard]] const std::optional<tree::TreePosition>& position(GroupKey enrolment) const {
        return enrolments_.position(enrolment);
    }
    /// No process will write to this process about this enrolment any more.
    [[nodiscard]] bool is_finished(GroupKey enrolment) const {
        return enrolments_.is_finished(enrolment);
    }
    /// The process stops waiting and continues. on_packet() does the rest of its work.
    void end_enrolling(GroupKey enrolment) { enrolments_.stop_waiting(enrolment); }
    /// Other processes may still write about an enrolment.
    [[nodiscard]] bool expects_packets() const { return !enrolments_.empty(); }

    // ---- while a group lives ----
    /// The group's label is in use from now on, and others may ask for its ranks. `position` must
    /// live until close().
    void open(const GroupName& group, const tree::TreePosition& position, PacketOutbox& out);
    void close(const GroupName& group, const tree::TreePosition& position, PacketOutbox& out);

    // ---- which process has a rank ----
    [[nodiscard]] std::optional<tree::ProcessId> known(const GroupName& group, int rank) const {
        return queries_.known(group.key(), rank);
    }
    /// Asks for the process of a rank. Returns the number of the question.
    int ask(const GroupName& group, const tree::TreePosition& position, int rank,
            PacketOutbox& out);
    [[nodiscard]] bool is_answered(int question) const { return queries_.is_answered(question); }
    /// Ends the question, answered or not, and returns the answer.
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
