#include "cluster/slurm_probe.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "cluster/names.hpp"
#include "cluster/slurm_config.hpp"
#include "cluster/system_call.hpp"
#include "os/spawn.hpp"

namespace ductile::cluster {
namespace {

using namespace std::chrono_literals;

bool connects(int family, const sockaddr* address, socklen_t size) {
    const Descriptor socket{::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const timeval limit{1, 0};  // also for connect(): socket(7)
    return socket &&
           ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
           ::connect(socket.get(), address, size) == 0;
}

std::string path_in(const std::vector<std::string>& environment) {
    constexpr std::string_view name = "PATH=";
    for (const auto& entry : environment)
        if (entry.starts_with(name)) return entry.substr(name.size());
    return {};
}

/// The standard output of a command, read for at most this time. Then the command is killed.
std::string output_of(const std::vector<std::string>& argv,
                      const std::vector<std::string>& environment,
                      std::chrono::milliseconds limit) {
    Pipe output = os::make_pipe("a command of Slurm");
    const Descriptor nothing{check(::open("/dev/null", O_RDWR | O_CLOEXEC), "open /dev/null")};
    os::Spawn command;
    command.argv = argv;
    command.environment = environment;
    command.file = os::find_program(argv[0], path_in(environment));
    command.input = command.error = nothing.get();
    command.output = output.write.get();
    const pid_t pid = os::spawn(command);
    output.write = Descriptor{};
    std::string text;
    std::array<char, 4096> part;
    const Deadline deadline{limit};
    while (wait_readable(output.read.get(), deadline.left_ms())) {
        const ssize_t got = ::read(output.read.get(), part.data(), part.size());
        if (got <= 0) break;
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return text;
}

}  // namespace

std::vector<std::string> slurm_environment(const SlurmSite& site) {
    // slurmdbd's library for MariaDB takes the path of the socket only from MYSQL_UNIX_PORT.
    return {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "MYSQL_UNIX_PORT=" + site.mariadb_socket()};
}

bool accepts(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return false;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return connects(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

bool accepts(const std::string& where, int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, where.c_str(), &address.sin_addr);
    return connects(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

bool are_hosts_idle(int hosts, const std::vector<std::string>& environment) {
    return are_all_idle(output_of({"sinfo", "-h", "-o", "%D %T"}, environment, 3s), hosts);
}

bool are_all_idle(std::string_view sinfo, int hosts) {
    int idle = 0;
    const auto end = sinfo.find('\n');
    const auto line = sinfo.substr(0, end);
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), idle);
    const bool is_only_line = end == std::string_view::npos || end + 1 == sinfo.size();
    return error == std::errc{} && is_only_line && idle == hosts &&
           std::string_view(rest, static_cast<std::size_t>(line.data() + line.size() - rest)) ==
               " idle";
}

std::string last_lines(std::string_view log) {
    while (log.ends_with('\n')) log.remove_suffix(1);
    std::size_t begin = log.size();
    for (int lines = 0; lines < 6 && begin != std::string_view::npos && begin > 0; ++lines)
        begin = log.rfind('\n', begin - 1);
    if (begin != std::string_view::npos && begin < log.size() && log[begin] == '\n') ++begin;
    return std::string(log.substr(begin == std::string_view::npos ? 0 : begin));
}

}  // namespace ductile::cluster
