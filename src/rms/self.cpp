#include "rms/self.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <filesystem>
#include <fstream>
#include <memory>

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

std::vector<std::string> addresses_for_others() {
    auto addresses = own_addresses();
    addresses.push_back(host_name());
    return addresses;
}

}  // namespace ductile::rms
