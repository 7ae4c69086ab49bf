// Messages to the kernel's network tables (rtnetlink). They replace the few commands of `ip` that
// the cluster needs. No process starts, and the kernel reports each request that fails.
#pragma once

#include <linux/rtnetlink.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/system_call.hpp"

namespace ductile::cluster {

/// Builds one request: a fixed header, then attributes, which may nest.
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
    /// Begins an attribute that holds attributes. Returns a position; pass it to end() to close the
    /// attribute.
    std::size_t begin(int attribute);
    void end(std::size_t position);
    /// Adds raw bytes inside a nested attribute. The peer of a veth needs its own header this way.
    void append(const void* data, std::size_t size);
    /// The whole message, with this sequence number. `flags` are added to the request's own.
    std::string message(std::uint32_t sequence, std::uint16_t flags) const;

  private:
    std::string bytes_;
    std::uint16_t type_ = 0;
    std::uint16_t flags_ = 0;
};

/// A connection to the network namespace in which it was made.
class Netlink {
  public:
    Netlink();
    /// Sends the request and waits at most 5 s for the kernel's answer. Throws SystemError "cannot
    /// ATTEMPT (reason)".
    void request(const NetlinkRequest& request, const std::string& attempt) {
        request_all({request}, attempt);
    }
    /// The same for many requests with one send. The kernel answers the last request, and each
    /// request that fails. A request that fails with the errno `accepted` counts as done. The
    /// kernel handles all requests, also those after a failure.
    void request_all(const std::vector<NetlinkRequest>& requests, const std::string& attempt,
                     int accepted = 0);

  private:
    Descriptor socket_;
    std::uint32_t sequence_ = 0;
};

}  // namespace ductile::cluster
