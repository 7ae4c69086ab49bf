// Messages to the kernel's network tables (rtnetlink), built by hand: an `ip` of our own in the few
// verbs we need, with no process to start and an answer to each request.
#pragma once

#include <linux/rtnetlink.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/system_call.hpp"

namespace ductile::cluster {

/// One request under construction: fixed header, then attributes, which nest.
class NetlinkRequest {
  public:
    /// `header` is the fixed part that follows nlmsghdr (ifinfomsg, ifaddrmsg).
    template <class Header>
    NetlinkRequest(std::uint16_t type, std::uint16_t flags, const Header& header) {
        bytes_.resize(NLMSG_HDRLEN);
        type_ = type;
        flags_ = flags;
        append(&header, sizeof header);
    }
    NetlinkRequest& add(int attribute, std::string_view payload);
    NetlinkRequest& add_text(int attribute, const std::string& text) {
        return add(attribute, {text.c_str(), text.size() + 1});
    }
    NetlinkRequest& add_u32(int attribute, std::uint32_t value);
    NetlinkRequest& add_u8(int attribute, std::uint8_t value);
    /// Begins an attribute that holds attributes; end() closes it with the position that this
    /// returned.
    std::size_t begin(int attribute);
    void end(std::size_t position);
    /// Raw bytes inside a nest, as the peer of a veth wants its own header.
    void append(const void* data, std::size_t size);
    /// The whole message, numbered. `flags` are added to its own.
    std::string message(std::uint32_t sequence, std::uint16_t flags) const;

  private:
    std::string bytes_;
    std::uint16_t type_ = 0;
    std::uint16_t flags_ = 0;
};

/// A conversation with the network namespace in which it was made.
class Netlink {
  public:
    Netlink();
    /// Sends and waits (at most 5 s) for the kernel's answer; throws SystemError "cannot ATTEMPT
    /// (reason)".
    void request(const NetlinkRequest& request, const std::string& attempt) {
        request_all({request}, attempt);
    }
    /// The same for many requests with one send and one answer. A request that fails with the errno
    /// `accepted` counts as done. The kernel handles all requests, also after one that fails.
    void request_all(const std::vector<NetlinkRequest>& requests, const std::string& attempt,
                     int accepted = 0);

  private:
    Descriptor socket_;
    std::uint32_t sequence_ = 0;
};

}  // namespace ductile::cluster
