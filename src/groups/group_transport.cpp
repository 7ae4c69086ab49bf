#include "groups/group_transport.hpp"

#include <thread>
#include <utility>

#include "mpi/check.hpp"

namespace ductile::groups {

namespace {

using Clock = os::AwakeClock;

/// How long a process that is in no new group reads and answers packets in enrol(). Then it
/// continues, and later calls and the helper read the other packets.
constexpr std::chrono::microseconds patience{200};

}  // namespace

GroupTransport::GroupTransport(const mpi::Comm& messages, int tag)
    : protocol_(tree::ProcessId{messages.rank()}, messages.size()),
      queue_(std::in_place, messages, tag) {}

GroupTransport::Enrolled GroupTransport::enrol(GroupProtocol::Enrolling what) {
    std::unique_lock lock(mutex_);
    const auto key = what.key;
    const bool is_member = what.own.has_value();
    protocol_.enrol(std::move(what), empty_outbox());
    send();
    Enrolled enrolled;
    if (is_member) {
        read_until(lock, [&] { return protocol_.position(key).has_value(); });
        enrolled.position = protocol_.position(key);
    } else {
        read_until(
            lock, [&] { return protocol_.is_finished(key); }, Clock::now() + patience);
    }
    protocol_.end_enrolling(key);
    enrolled.expects_packets = protocol_.expects_packets();
    return enrolled;
}

void GroupTransport::open(const GroupName& group, const tree::TreePosition& position) {
    const std::lock_guard lock(mutex_);
    protocol_.open(group, position, empty_outbox());
    send();
}

void GroupTransport::close(const GroupName& group, const tree::TreePosition& position, bool tells) {
    const std::lock_guard lock(mutex_);
    protocol_.close(group, position, empty_outbox());
    if (tells) send();
}

std::optional<tree::ProcessId> GroupTransport::find(const GroupName& group,
                                                    const tree::TreePosition& position, int rank,
                                                    Clock::time_point until) {
    std::unique_lock lock(mutex_);
    if (const auto known = protocol_.known(group, rank)) return known;
    const int question = protocol_.ask(group, position, rank, empty_outbox());
    send();
    read_until(
        lock, [&] { return protocol_.is_answered(question); }, until);
    return protocol_.take_answer(question, group, rank);
}

std::optional<Looked> GroupTransport::read_all() {
    const std::lock_guard lock(mutex_);
    try {
        bool any = false;
        while (read()) any = true;
        return Looked{any, protocol_.expects_packets()};
    } catch (...) {
        failure_ = std::current_exception();
        return std::nullopt;
    }
}

bool GroupTransport::all_sent() {
    const std::lock_guard lock(mutex_);
    return queue_->all_sent();
}

void GroupTransport::end() {
    const std::lock_guard lock(mutex_);
    if (mpi::is_running())
        while (queue_->receive()) {
        }
    queue_.reset();
}

bool GroupTransport::read() {
    const auto packet = queue_->receive();
    if (!packet) return false;
    protocol_.on_packet(*packet, empty_outbox());
    send();
    return true;
}

PacketOutbox& GroupTransport::empty_outbox() {
    out_.clear();
    return out_;
}

void GroupTransport::send() {
    for (auto& [to, words] : out_) queue_->send(to, std::move(words));
}

void GroupTransport::read_until(std::unique_lock<std::mutex>& lock,
                                const std::function<bool()>& done, Deadline until) {
    while (!done()) {
        if (failure_) std::rethrow_exception(failure_);
        if (read()) continue;
        if (until && Clock::now() >= *until) return;
        lock.unlock();
        std::this_thread::yield();  // ranks may share cores
        lock.lock();
    }
}

}  // namespace ductile::groups
