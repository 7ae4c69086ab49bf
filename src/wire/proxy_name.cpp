#include "wire/proxy_name.hpp"

#include <arpa/inet.h>

#include <charconv>
#include <cstdint>

#include "ductile/error.hpp"

namespace ductile::wire {

namespace {

constexpr std::uint32_t nobodys = 0xf0000000u;  // 240.0.0.0/4, and its mask

constexpr std::string_view word_begins = "ductile-g";

void expect_nameable(const ProxyPart& part) {
    if (part.group.value < 0 || part.group.value >= named_groups || part.part < 0 ||
        part.part >= named_parts)
        throw UsageError("part " + std::to_string(part.part) + " of group " +
                         std::to_string(part.group.value) + " has no name for mpiexec");
}

/// Removes the number at the beginning of `text`, and returns it.
std::optional<int> take_number(std::string_view& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<ProxyPart> part_of_word(std::string_view word) {
    word.remove_prefix(word_begins.size());
    const auto group = take_number(word);
    if (!group || !word.starts_with('p')) return std::nullopt;
    word.remove_prefix(1);
    const auto part = take_number(word);
    if (!part || !word.empty() || *group >= named_groups || *part >= named_parts)
        return std::nullopt;
    return ProxyPart{core::GroupId{*group}, *part};
}

}  // namespace

std::string proxy_word(const ProxyPart& part) {
    expect_nameable(part);
    return std::string(word_begins) + std::to_string(part.group.value) + "p" +
           std::to_string(part.part);
}

std::string proxy_name(const ProxyPart& part) {
    expect_nameable(part);
    const auto number = nobodys | static_cast<std::uint32_t>(part.group.value) << 12 |
                        static_cast<std::uint32_t>(part.part);
    const in_addr address{htonl(number)};
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &address, text, sizeof(text));
    return text;
}

std::optional<ProxyPart> proxy_part(std::string_view name) {
    if (name.starts_with(word_begins)) return part_of_word(name);
    in_addr address{};
    if (::inet_pton(AF_INET, std::string(name).c_str(), &address) != 1) return std::nullopt;
    const auto number = ntohl(address.s_addr);
    if ((number & nobodys) != nobodys) return std::nullopt;
    return ProxyPart{core::GroupId{static_cast<int>(number >> 12 & 0xffffu)},
                     static_cast<int>(number & 0xfffu)};
}

}  // namespace ductile::wire
