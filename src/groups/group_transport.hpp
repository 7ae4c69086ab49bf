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
#include "os/job_clock.hpp"

namespace ductile::groups {

/// A thread that waits for a packet reads packets. A helper also reads packets from time to time.
/// Any thread may call this class, but only one thread at a time may make groups.
class GroupTransport {
  public:
    /// `messages` must live until end().
    GroupTransport(const mpi::Comm& messages, int tag);

    struct Enrolled {
        std::optional<tree::TreePosition> position;  ///< only in a process with a colour
        bool expects_packets = false;  ///< other processes may still write about an enrolment
    };
    /// A process with a colour waits until it has its position. A process without a colour returns
    /// within a fraction of a millisecond. Throws MpiError, errors of the helper, and UsageError
    /// while another thread makes a group.
    Enrolled enrol(GroupProtocol::Enrolling what);

    void open(const GroupName& group, const tree::TreePosition& position);
    /// `tells`: whether to send packets about this. With shrink-and-hash a packet tells the process
    /// H(rank) that the group is closed.
    void close(const GroupName& group, const tree::TreePosition& position, bool tells);

    /// Returns the process that has rank `rank` of the group. Asks other processes, unless an
    /// earlier answer is known. Returns nothing if no answer comes by `until`.
    std::optional<tree::ProcessId> find(const GroupName& group, const tree::TreePosition& position,
                                        int rank, os::AwakeClock::time_point until);

    /// The helper calls this: handles all packets that have come. If it fails, it returns nothing,
    /// and each later call that has to wait throws the error.
    std::optional<Looked> read_all();

    /// Whether MPI has sent all packets of this process. Local.
    bool all_sent();
    /// Ends sending and reading.
    void end();

  private:
    using Deadline = std::optional<os::AwakeClock::time_point>;

    // The caller of this function, and of all functions below, holds the mutex.
    /// Reads and handles one packet. Returns false if there is none.
    bool read();
    PacketOutbox& empty_outbox();
    /// Sends the packets of the outbox.
    void send();
    /// Reads packets until `done` or `until`. Other threads may read in between.
    void read_until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done,
                    Deadline until = std::nullopt);

    std::mutex mutex_;
    GroupProtocol protocol_;
    PacketOutbox out_;  // the packets of one step; each step uses the same memory again
    std::optional<MessageQueue> queue_;
    std::exception_ptr failure_;  // of the helper
};

}  // namespace ductile::groups
