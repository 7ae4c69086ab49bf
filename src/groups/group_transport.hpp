// The protocol of process groups over MPI.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include "groups/group_protocol.hpp"
#include "groups/helper_thread.hpp"
#include "groups/message_queue.hpp"

namespace ductile::groups {

/// Packets are read by whoever waits for one, and by a helper that looks now and then. For any
/// thread, but only one may make groups.
class GroupTransport {
  public:
    /// `messages` lives until end().
    GroupTransport(const mpi::Comm& messages, int tag);

    struct Enrolled {
        std::optional<tree::TreePosition> position;  ///< of a process with a colour
        bool expects_packets = false;                ///< others may still write about an enrolment
    };
    /// A process with a colour waits until it has its position; one without returns after a
    /// fraction of a millisecond. Throws MpiError, and what the helper has failed with.
    Enrolled enrol(GroupProtocol::Enrolling what);

    void open(const GroupName& group, const tree::TreePosition& position);
    /// `tells`: others may still be told.
    void close(const GroupName& group, const tree::TreePosition& position, bool tells);

    /// Asks for the process that has a rank, or has asked before. Nothing without an answer by
    /// `until`.
    std::optional<tree::ProcessId> find(const GroupName& group, const tree::TreePosition& position,
                                        int rank, std::chrono::steady_clock::time_point until);

    /// The helper's: acts on all packets that have come. What it fails with is thrown to whoever
    /// waits next; it gives nothing then.
    std::optional<Looked> read_all();

    /// Whether all packets are out of this process's hands. Local.
    bool all_sent();
    /// Nothing is sent or read any more.
    void end();

  private:
    using Deadline = std::optional<std::chrono::steady_clock::time_point>;

    // With the mutex held, as all below. Whether there was a packet.
    bool read();
    PacketOutbox& empty_outbox();
    /// What is in the outbox.
    void send();
    /// Reads packets until `done` or `until`, letting others read in between.
    void read_until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done,
                    Deadline until = std::nullopt);

    std::mutex mutex_;
    GroupProtocol protocol_;
    PacketOutbox out_;  // of one step; kept, so that a step allocates none
    std::optional<MessageQueue> queue_;
    std::exception_ptr failure_;  // of the helper
};

}  // namespace ductile::groups
