#include "core/host_share.hpp"

#include <charconv>

#include "core/text.hpp"

namespace ductile::core {

namespace {

std::optional<HostShare> with_number(std::string_view host, std::string_view text) {
    int number = 0;
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (host.empty() || read.ec != std::errc{} || read.ptr != end || number < 1 ||
        number > most_slots)
        return std::nullopt;
    return HostShare{std::string(host), number};
}

}  // namespace

bool is_same_host(std::string_view a, std::string_view b) {
    return a.size() == b.size() && lower_case(a) == lower_case(b);
}

std::optional<HostShare> read_host_share(std::string_view word, const IsHost& is_host) {
    if (word.empty()) return std::nullopt;
    if (is_host(word)) return HostShare{std::string(word)};
    if (const auto end = word.find(']'); word.front() == '[' && end != std::string_view::npos) {
        const auto host = word.substr(1, end - 1);
        const auto rest = word.substr(end + 1);
        if (rest.starts_with(':')) return with_number(host, rest.substr(1));
        if (host.empty() || !rest.empty()) return std::nullopt;
        return HostShare{std::string(host)};
    }
    const auto colon = word.rfind(':');
    if (colon == std::string_view::npos) return HostShare{std::string(word)};
    const auto host = word.substr(0, colon);
    if (is_host(host) || host.find(':') == std::string_view::npos)
        return with_number(host, word.substr(colon + 1));
    return HostShare{std::string(word)};
}

std::string to_string(const HostShare& share) {
    const bool has_colon = share.host.find(':') != std::string::npos;
    const auto name = has_colon ? "[" + share.host + "]" : share.host;
    return share.ranks ? name + ":" + std::to_string(*share.ranks) : name;
}

}  // namespace ductile::core
