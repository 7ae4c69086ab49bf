#include "cluster/network.hpp"

#include <arpa/inet.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sys/socket.h>

#include <cerrno>

#include "cluster/names.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

constexpr const char* bridge = "cluster0";
constexpr std::uint16_t create = NLM_F_CREATE | NLM_F_EXCL;

int index_of(const std::string& device) {
    const unsigned index = ::if_nametoindex(device.c_str());
    if (index == 0) throw_errno("find the network device " + device);
    return static_cast<int>(index);
}

ifinfomsg link_header(int index = 0, bool up = false) {
    ifinfomsg header{};
    header.ifi_family = AF_UNSPEC;
    header.ifi_index = index;
    if (up) header.ifi_flags = header.ifi_change = IFF_UP;
    return header;
}

void bring_up(Netlink& netlink, const std::string& device) {
    netlink.request(NetlinkRequest(RTM_NEWLINK, 0, link_header(index_of(device), true)),
                    "bring up " + device);
}

in_addr binary_address(const std::string& address) {
    in_addr binary{};
    if (::inet_pton(AF_INET, address.c_str(), &binary) != 1)
        throw SystemError("no address: " + address);
    return binary;
}

void give_address(Netlink& netlink, const std::string& device, const std::string& address) {
    const in_addr binary = binary_address(address);
    ifaddrmsg header{};
    header.ifa_family = AF_INET;
    header.ifa_prefixlen = 24;
    header.ifa_index = static_cast<unsigned>(index_of(device));
    NetlinkRequest request(RTM_NEWADDR, create, header);
    request.add_u32(IFA_LOCAL, binary.s_addr).add_u32(IFA_ADDRESS, binary.s_addr);
    in_addr broadcast{binary.s_addr | htonl(0xff)};
    request.add_u32(IFA_BROADCAST, broadcast.s_addr);
    netlink.request(request, "give " + device + " the address " + address);
}

NetlinkRequest neighbour_request(std::uint16_t type, std::uint16_t flags, int index, int number) {
    ndmsg header{};
    header.ndm_family = AF_INET;
    header.ndm_ifindex = index;
    header.ndm_state = NUD_PERMANENT;
    NetlinkRequest request(type, flags, header);
    request.add_u32(NDA_DST, binary_address(host_address(number)).s_addr);
    return request;
}

}  // namespace

void make_bridge(Netlink& outer) {
    NetlinkRequest request(RTM_NEWLINK, create, link_header());
    request.add_text(IFLA_IFNAME, bridge).add(IFLA_ADDRESS, host_mac_bytes(head));
    const auto info = request.begin(IFLA_LINKINFO);
    request.add_text(IFLA_INFO_KIND, "bridge");
    request.end(info);
    outer.request(request, "make a bridge");
    give_address(outer, bridge, host_address(head));
    bring_up(outer, "lo");
    bring_up(outer, bridge);
}

void plug_host(Netlink& outer, int number, pid_t init) {
    const std::string port = port_name(number);
    NetlinkRequest request(RTM_NEWLINK, create, link_header(0, true));
    request.add_text(IFLA_IFNAME, port)
        .add_u32(IFLA_MASTER, static_cast<std::uint32_t>(index_of(bridge)));
    const auto info = request.begin(IFLA_LINKINFO);
    request.add_text(IFLA_INFO_KIND, "veth");
    const auto data = request.begin(IFLA_INFO_DATA);
    const auto peer = request.begin(VETH_INFO_PEER);
    const ifinfomsg peer_header = link_header();
    request.append(&peer_header, sizeof peer_header);
    request.add_text(IFLA_IFNAME, "eth0").add(IFLA_ADDRESS, host_mac_bytes(number));
    request.add_u32(IFLA_NET_NS_PID, static_cast<std::uint32_t>(init));
    request.end(peer);
    request.end(data);
    request.end(info);
    outer.request(request, "lay a cable to " + host_name(number));
}

void unplug_host(Netlink& outer, int number) {
    const unsigned index = ::if_nametoindex(port_name(number).c_str());
    if (index == 0) return;
    NetlinkRequest request(RTM_DELLINK, 0, link_header(static_cast<int>(index)));
    try {
        outer.request(request, "take away the cable of " + host_name(number));
    } catch (const SystemError&) {
        // The kernel may have removed the cable already: a cable disappears with the namespace of
        // its other end.
        if (::if_nametoindex(port_name(number).c_str()) != 0) throw;
    }
}

void configure_host(int number) {
    Netlink own;
    bring_up(own, "lo");
    give_address(own, "eth0", host_address(number));
    bring_up(own, "eth0");
}

Interface::Interface(int number)
    : number_(number), index_(index_of(number == head ? bridge : "eth0")) {}

void Interface::add_neighbours(const std::vector<int>& numbers) {
    std::vector<NetlinkRequest> requests;
    for (const int number : numbers)
        requests
            .emplace_back(
                neighbour_request(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, index_, number))
            .add(NDA_LLADDR, host_mac_bytes(number));
    netlink_.request_all(requests, "add neighbours of " + host_name(number_));
}

void Interface::remove_neighbours(const std::vector<int>& numbers) {
    std::vector<NetlinkRequest> requests;
    for (const int number : numbers)
        requests.push_back(neighbour_request(RTM_DELNEIGH, 0, index_, number));
    netlink_.request_all(requests, "remove neighbours of " + host_name(number_), ENOENT);
}

void set_cable(Netlink& outer, int number, Cable state) {
    ifinfomsg header = link_header(index_of(port_name(number)));
    header.ifi_family = AF_BRIDGE;
    NetlinkRequest request(RTM_SETLINK, 0, header);
    const auto port = request.begin(IFLA_PROTINFO | NLA_F_NESTED);
    request.add_u8(IFLA_BRPORT_STATE,
                   state == Cable::cut ? BR_STATE_DISABLED : BR_STATE_FORWARDING);
    request.end(port);
    outer.request(request,
                  (state == Cable::cut ? "cut off " : "mend the cable of ") + host_name(number));
}

}  // namespace ductile::cluster
