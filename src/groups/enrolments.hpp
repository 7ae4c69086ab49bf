// The groups that this process helps to make. No MPI, no clock.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "groups/packets.hpp"
#include "tree/builder.hpp"

namespace ductile::groups {

/// One builder for each enrolment. A message may come before this process begins the enrolment.
/// Such messages are kept until then.
///
/// An enrolment counts as awaited until stop_waiting(). After that it stays here until no process
/// will write to this process about it.
class Enrolments {
  public:
    /// `labels`: the labels that this process uses, so that the new groups get another one. Empty
    /// if this process will be in none of the new groups.
    void begin(GroupKey key, tree::Builder&& builder, const tree::LabelSet& labels,
               PacketOutbox& out);
    void on_message(tree::ProcessId from, GroupKey key, tree::Message message, PacketOutbox& out);
    /// The process stops waiting and continues.
    void stop_waiting(GroupKey key);

    /// The position in the new group, when it is known. The enrolment must be awaited.
    [[nodiscard]] const std::optional<tree::TreePosition>& position(GroupKey key) const {
        return all_.at(key).builder.position();
    }
    /// Whether no process will write to this process any more. The enrolment must be awaited.
    [[nodiscard]] bool is_finished(GroupKey key) const { return all_.at(key).builder.finished(); }
    [[nodiscard]] bool is_any_awaited() const;
    [[nodiscard]] bool empty() const { return all_.empty(); }

  private:
    struct Enrolment {
        explicit Enrolment(tree::Builder&& of) : builder(std::move(of)) {}

        tree::Builder builder;
        bool awaited = true;
    };
    struct EarlyMessage {
        tree::ProcessId from;
        tree::Message message;
    };

    std::map<GroupKey, Enrolment> all_;
    std::map<GroupKey, std::vector<EarlyMessage>> early_;
};

}  // namespace ductile::groups
