#include "os/passed_descriptors.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/contract.hpp"

namespace ductile::os {

namespace {

struct alignas(cmsghdr) Control : std::array<char, CMSG_SPACE(max_passed * sizeof(int))> {};

}  // namespace

ssize_t send_passing(int socket, std::string_view bytes, std::span<const int> descriptors,
                     int flags) {
    if (descriptors.size() > max_passed) {
        errno = EINVAL;
        return -1;
    }
    DUCTILE_EXPECT(descriptors.empty() || !bytes.empty());
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    Control control{};
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    return ::sendmsg(socket, &message, MSG_NOSIGNAL | flags);
}

ssize_t receive_passed(int socket, std::span<char> buffer, std::vector<Fd>& passed) {
    iovec part{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    Control control{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int raw = -1;
            std::memcpy(&raw, CMSG_DATA(header) + i * sizeof raw, sizeof raw);
            passed.emplace_back(raw);
        }
    }
    return got;
}

}  // namespace ductile::os
