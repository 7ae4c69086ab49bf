// A process of the job during one enrolment. It holds the builder and the directory entries of this
// process. Around them it does the initial broadcast and the completion reduction.
#pragma once

#include <cstddef>
#include <optional>

#include "tree/builder.hpp"
#include "tree/rank_directory.hpp"

namespace ductile::tree {

/// Takes all messages of one enrolment at a process. A process outside the parent group may serve
/// as an intermediary. Then it has no position in the group and no builder.
class Process {
  public:
    /// `labels`: the labels in use here (Builder::start).
    Process(const Method& method, std::optional<TreePosition> position, std::optional<Colour> own,
            const HashFamily& hashes, LabelSet labels = {});

    /// The root of the parent group begins, and tells all processes over the group's tree.
    void begin(Outbox& out);
    /// This process begins, and tells no other process. Use it instead of begin() if all processes
    /// of the parent group call it at about the same time.
    void start(Outbox& out);
    void on_message(ProcessId from, Message message, Outbox& out);

    [[nodiscard]] const std::optional<TreePosition>& position() const;
    [[nodiscard]] const std::optional<Builder>& builder() const { return builder_; }
    [[nodiscard]] const RankDirectories& directories() const { return directories_; }
    /// At the root of a new group: whether every member of the group has its position.
    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] std::size_t bytes() const;

  private:
    void report_if_done(Outbox& out);

    std::optional<Colour> own_;
    LabelSet labels_;
    std::optional<Builder> builder_;
    RankDirectories directories_;
    std::size_t done_below_ = 0;
    bool reported_ = false;
    bool complete_ = false;
};

/// Whether Table II of balanced-spanning-trees counts a message. It counts neither the initial
/// broadcast nor the completion reduction.
bool is_counted(const Message& message);

}  // namespace ductile::tree
