#include "cluster/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

constexpr std::string_view state_mark = "# ductile cluster, state in ";

bool is_cluster_name(std::string_view name) {
    const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto allowed = [lower](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '-'; };
    return !name.empty() && name.size() <= 32 && lower(name.front()) &&
           std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace

void validate(const ClusterSpec& spec) {
    if (!is_cluster_name(spec.name))
        throw InputError(fmt::format(
            "\"{}\" cannot name a cluster; use 1 to 32 of a-z, 0-9 and -, starting with a letter",
            spec.name));
    if (spec.hosts < 1 || spec.hosts > max_hosts)
        throw InputError(fmt::format("a cluster has 1 to {} hosts, not {}", max_hosts, spec.hosts));
    if (spec.cores < 1 || spec.cores > max_cores)
        throw InputError(fmt::format("a host has 1 to {} cores, not {}", max_cores, spec.cores));
}

std::string host_name(int number) {
    return number == head ? "head" : fmt::format("node{:02}", number);
}

int host_number(std::string_view name, int hosts) {
    for (int number = head; number <= hosts; ++number)
        if (name == host_name(number)) return number;
    throw InputError(fmt::format("no host \"{}\" in this cluster; it has head and {} to {}",
                                 name.substr(0, 40), host_name(1), host_name(hosts)));
}

std::string host_address(int number) {
    return fmt::format("10.66.0.{}", number == head ? 254 : number);
}

std::string host_mac_bytes(int number) {
    return {'\x02', '\x66', '\0', '\0', '\0', static_cast<char>(number == head ? 254 : number)};
}

std::string port_name(int number) {
    return fmt::format("port{:02}", number);
}

std::string etc_hosts(const ClusterSpec& spec, const std::string& state_dir) {
    std::string text =
        fmt::format("{}{}\n127.0.0.1 localhost\n::1 localhost\n", state_mark, state_dir);
    for (int number = head; number <= spec.hosts; ++number)
        text += fmt::format("{} {}\n", host_address(number), host_name(number));
    return text;
}

std::string state_dir_of(std::string_view etc_hosts_text) {
    if (!etc_hosts_text.starts_with(state_mark)) return {};
    etc_hosts_text.remove_prefix(state_mark.size());
    return std::string(etc_hosts_text.substr(0, etc_hosts_text.find('\n')));
}

std::string slots_file(const ClusterSpec& spec) {
    std::string text;
    for (int number = 1; number <= spec.hosts; ++number)
        text += fmt::format("{} slots={}\n", host_name(number), spec.cores);
    return text;
}

}  // namespace ductile::cluster
