#include "agent/frame_queue.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace ductile::agent {

namespace {

/// As sendmsg(); a descriptor of -1 is none.
ssize_t send_with(int socket, std::string_view bytes, int descriptor) {
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    if (descriptor >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

void FrameQueue::add(const std::string& frame, wire::Fd descriptor) {
    bytes_ += frame.size();
    frames_.push_back({frame, std::move(descriptor)});
}

FrameQueue::Written FrameQueue::write_to(int socket) {
    while (!frames_.empty()) {
        auto& first = frames_.front();
        const auto rest = std::string_view(first.bytes).substr(sent_of_first_);
        const auto n = send_with(socket, rest, first.descriptor ? first.descriptor.get() : -1);
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
