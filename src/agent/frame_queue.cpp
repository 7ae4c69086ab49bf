#include "agent/frame_queue.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <span>
#include <string_view>
#include <utility>

#include "os/passed_descriptors.hpp"

namespace ductile::agent {

void FrameQueue::add(const std::string& frame, wire::Fd descriptor) {
    bytes_ += frame.size();
    frames_.push_back({frame, std::move(descriptor)});
}

FrameQueue::Written FrameQueue::write_to(int socket) {
    while (!frames_.empty()) {
        auto& first = frames_.front();
        const auto rest = std::string_view(first.bytes).substr(sent_of_first_);
        const int descriptor = first.descriptor.get();
        const auto n = os::send_passing(
            socket, rest, std::span(&descriptor, first.descriptor ? 1 : 0), MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN ? Written::some : Written::failed;
        first.descriptor.reset();
        sent_of_first_ += static_cast<std::size_t>(n);
        if (sent_of_first_ < first.bytes.size()) continue;
        bytes_ -= first.bytes.size();
        sent_of_first_ = 0;
        frames_.pop_front();
    }
    return Written::all;
}

void FrameQueue::clear() {
    frames_.clear();
    bytes_ = sent_of_first_ = 0;
}

}  // namespace ductile::agent
