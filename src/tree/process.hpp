// A process of the job during one enrolment, from the initial broadcast to the completion
// reduction: its builder, the directory entries it keeps, and both passes around them.
#pragma once

#include <cstddef>
#include <optional>

#include "tree/builder.hpp"
#include "tree/rank_directory.hpp"

namespace ductile::tree {

/// The whole of what messages of one enrolment meet at a process. One that is not in the parent
/// group, yet serves as an intermediary, has no position there and no builder.
class Process {
  public:
    /// `labels`: in use here (Builder::start).
    Process(const Method& method, std::optional<TreePosition> position, std::optional<Colour> own,
            const HashFamily& hashes, LabelSet labels = {});

    /// The root of the parent group begins: everybody is told over its tree.
    void begin(Outbox& out);
    /// This process begins without being told: where all call at about the same time.
    void start(Outbox& out);
    void on_message(ProcessId from, Message message, Outbox& out);

    [[nodiscard]] const std::optional<TreePosition>& position() const;
    [[nodiscard]] const std::optional<Builder>& builder() const { return builder_; }
    [[nodiscard]] const RankDirectories& directories() const { return directories_; }
    /// At the root of a new group: every member of it has its position.
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

/// Whether Table II counts a message: not the initial broadcast, not the completion reduction.
bool is_counted(const Message& message);

}  // namespace ductile::tree
