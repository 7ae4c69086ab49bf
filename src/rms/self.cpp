#include "rms/self.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "core/host_share.hpp"
#include "ductile/error.hpp"

namespace ductile::rms {

std::string self_path() {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) throw SystemError("cannot find this program's own path: " + error.message());
    return path.string();
}

std::string companion(const std::string& name) {
    const auto directory = std::filesystem::path(self_path()).parent_path();
    if (directory.filename() == "ductile" && directory.parent_path().filename() == "libexec")
        return (directory / name).string();
    return (directory.parent_path() / "libexec" / "ductile" / name).string();
}

std::string host_name() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

namespace {

std::string first_label(const std::string& name) {
    return name.substr(0, name.find('.'));
}

/// The host name with its domain, as the system knows it.
std::string full_host_name() {
    addrinfo hints{};
    hints.ai_flags = AI_CANONNAME;
    addrinfo* raw = nullptr;
    if (::getaddrinfo(host_name().c_str(), nullptr, &hints, &raw) != 0) return host_name();
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> found(raw, ::freeaddrinfo);
    return found->ai_canonname == nullptr ? host_name() : found->ai_canonname;
}

/// Whether this is a numeric address of this machine; nullopt: it is not numeric.
std::optional<bool> is_own_address(const std::string& text) {
    const auto own = own_addresses();
    const auto is_own = [&own](int family, const auto& address) {
        return std::ranges::any_of(own, [&](const std::string& one) {
            auto other = address;
            return ::inet_pton(family, one.c_str(), &other) == 1 &&
                   std::memcmp(&other, &address, sizeof(other)) == 0;
        });
    };
    in_addr four{};
    if (::inet_pton(AF_INET, text.c_str(), &four) == 1)
        return ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET || is_own(AF_INET, four);
    in6_addr six{};
    if (::inet_pton(AF_INET6, text.c_str(), &six) == 1)
        return IN6_IS_ADDR_LOOPBACK(&six) || is_own(AF_INET6, six);
    return std::nullopt;
}

}  // namespace

bool is_this_machine(const std::string& name) {
    if (core::is_same_host(name, "localhost") || core::is_same_host(name, "localhost.localdomain"))
        return true;
    if (const auto is_own = is_own_address(name)) return *is_own;
    const auto own = host_name();
    if (core::is_same_host(name, own)) return true;
    if (!core::is_same_host(first_label(name), first_label(own))) return false;
    const bool has_domain = name.find('.') != std::string::npos;
    if (own.find('.') != std::string::npos) return !has_domain;
    return has_domain && core::is_same_host(name, full_host_name());
}

std::string machine() {
    std::string boot;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
    struct stat shared_memory {};
    if (::stat("/dev/shm", &shared_memory) != 0) shared_memory.st_dev = 0;
    return host_name() + " " + boot + " " + std::to_string(shared_memory.st_dev);
}

std::vector<std::string> own_addresses() {
    std::vector<std::string> four, six;
    ifaddrs* raw = nullptr;
    if (::getifaddrs(&raw) != 0) return {};
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> list(raw, ::freeifaddrs);
    for (const ifaddrs* one = list.get(); one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0 ||
            (one->ifa_flags & IFF_LOOPBACK) != 0)
            continue;
        std::array<char, INET6_ADDRSTRLEN> text{};
        if (one->ifa_addr->sa_family == AF_INET) {
            const auto* in = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
            four.emplace_back(::inet_ntop(AF_INET, &in->sin_addr, text.data(), text.size()));
        } else if (one->ifa_addr->sa_family == AF_INET6) {
            const auto* in = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
            if (!IN6_IS_ADDR_LINKLOCAL(&in->sin6_addr))
                six.emplace_back(::inet_ntop(AF_INET6, &in->sin6_addr, text.data(), text.size()));
        }
    }
    four.insert(four.end(), six.begin(), six.end());
    return four;
}

bool has_ipv4_address() {
    const auto addresses = own_addresses();
    return !addresses.empty() && addresses.front().find(':') == std::string::npos;
}

std::vector<std::string> addresses_for_others() {
    auto addresses = own_addresses();
    addresses.push_back(host_name());
    return addresses;
}

}  // namespace ductile::rms
