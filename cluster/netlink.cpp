#include "cluster/netlink.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "ductile/error.hpp"

namespace ductile::cluster {

void NetlinkRequest::append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
    bytes_.resize(NLMSG_ALIGN(bytes_.size()));
}

NetlinkRequest& NetlinkRequest::add(int attribute, std::string_view payload) {
    rtattr header{};
    header.rta_len = static_cast<unsigned short>(RTA_LENGTH(payload.size()));
    header.rta_type = static_cast<unsigned short>(attribute);
    append(&header, sizeof header);
    append(payload.data(), payload.size());
    return *this;
}

NetlinkRequest& NetlinkRequest::add_u32(int attribute, std::uint32_t value) {
    return add(attribute, {reinterpret_cast<const char*>(&value), sizeof value});
}

NetlinkRequest& NetlinkRequest::add_u8(int attribute, std::uint8_t value) {
    return add(attribute, {reinterpret_cast<const char*>(&value), sizeof value});
}

std::size_t NetlinkRequest::begin(int attribute) {
    const std::size_t position = bytes_.size();
    add(attribute, {});
    return position;
}

void NetlinkRequest::end(std::size_t position) {
    const auto length = static_cast<unsigned short>(bytes_.size() - position);
    std::memcpy(bytes_.data() + position, &length,
                sizeof length);  // rta_len is the first member of rtattr
}

std::string NetlinkRequest::message(std::uint32_t sequence, std::uint16_t flags) const {
    nlmsghdr header{};
    header.nlmsg_len = static_cast<std::uint32_t>(bytes_.size());
    header.nlmsg_type = type_;
    header.nlmsg_flags = static_cast<std::uint16_t>(flags_ | flags | NLM_F_REQUEST);
    header.nlmsg_seq = sequence;
    std::string whole = bytes_;
    std::memcpy(whole.data(), &header, sizeof header);
    return whole;
}

Netlink::Netlink() : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {
    check(socket_.get(), "open a netlink socket");
    timeval limit{5, 0};
    check(::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit),
          "bound the wait on netlink");
}

void Netlink::request_all(const std::vector<NetlinkRequest>& requests, const std::string& attempt,
                          int accepted) {
    if (requests.empty()) return;
    // Only the last request always asks for an answer. Many answers could overflow the socket's
    // buffer.
    std::string messages;
    const std::uint32_t first = sequence_ + 1;
    for (const auto& request : requests)
        messages += request.message(++sequence_, &request == &requests.back() ? NLM_F_ACK : 0);
    if (::send(socket_.get(), messages.data(), messages.size(), 0) < 0) throw_errno(attempt);
    alignas(nlmsghdr) std::array<char, 8192> answer;
    while (true) {
        const ssize_t got = ::recv(socket_.get(), answer.data(), answer.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw_errno(attempt);
        if (static_cast<std::size_t>(got) < NLMSG_LENGTH(sizeof(nlmsgerr))) continue;
        nlmsghdr header;
        std::memcpy(&header, answer.data(), sizeof header);
        const bool is_ours = header.nlmsg_seq - first < requests.size();
        if (!is_ours || header.nlmsg_type != NLMSG_ERROR) continue;
        nlmsgerr result;
        std::memcpy(&result, answer.data() + NLMSG_HDRLEN, sizeof result);
        if (result.error != 0 && result.error != -accepted) {
            errno = -result.error;
            throw_errno(attempt);
        }
        if (header.nlmsg_seq == sequence_) return;
    }
}

}  // namespace ductile::cluster
