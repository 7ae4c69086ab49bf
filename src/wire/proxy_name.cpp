#include "wire/proxy_name.hpp"

#include <arpa/inet.h>

#include <cstdint>

#include "ductile/error.hpp"

namespace ductile::wire {

namespace {

constexpr std::uint32_t nobodys = 0xf0000000u;  // 240.0.0.0/4, and its mask

}  // namespace

std::string proxy_name(const ProxyPart& part) {
    if (part.group.value < 0 || part.group.value >= named_groups || part.part < 0 ||
        part.part >= named_parts)
        throw UsageError("part " + std::to_string(part.part) + " of group " +
                         std::to_string(part.group.value) + " has no name for mpiexec");
    const auto number = nobodys | static_cast<std::uint32_t>(part.group.value) << 12 |
                        static_cast<std::uint32_t>(part.part);
    const in_addr address{htonl(number)};
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &address, text, sizeof(text));
    return text;
}

std::optional<ProxyPart> proxy_part(std::string_view name) {
    in_addr address{};
    if (::inet_pton(AF_INET, std::string(name).c_str(), &address) != 1) return std::nullopt;
    const auto number = ntohl(address.s_addr);
    if ((number & nobodys) != nobodys) return std::nullopt;
    return ProxyPart{core::GroupId{static_cast<int>(number >> 12 & 0xffffu)},
                     static_cast<int>(number & 0xfffu)};
}

}  // namespace ductile::wire
