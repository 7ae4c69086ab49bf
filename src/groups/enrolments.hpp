// The groups that this process takes part in making. No MPI, no clock.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "groups/packets.hpp"
#include "tree/builder.hpp"

namespace ductile::groups {

/// One builder for each enrolment. Messages of an enrolment that this process has not come to yet
/// are kept until it does.
///
/// An enrolment is awaited until its process goes on. After that it goes on here until nobody will
/// write to this process about it.
class Enrolments {
  public:
    /// `labels`: of the groups that this process is in, as far as they matter.
    void begin(GroupKey key, tree::Builder&& builder, const tree::LabelSet& labels,
               PacketOutbox& out);
    void on_message(tree::ProcessId from, GroupKey key, tree::Message message, PacketOutbox& out);
    /// The process goes on.
    void stop_waiting(GroupKey key);

    /// The position in the new group, once it is known. Of an awaited enrolment.
    [[nodiscard]] const std::optional<tree::TreePosition>& position(GroupKey key) const {
        return all_.at(key).builder.position();
    }
    /// Whether nobody will write to this process any more. Of an awaited enrolment.
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
