#include "cli/nested/keeper.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "cli/nested/keeper_line.hpp"
#include "cli/nested/keeper_messages.hpp"
#include "cluster/slurm_probe.hpp"
#include "cluster/system_call.hpp"
#include "ductile/error.hpp"
#include "os/descriptors.hpp"
#include "os/private_directory.hpp"
#include "os/signals.hpp"
#include "os/spawn.hpp"
#include "os/stray_processes.hpp"
#include "rms/self.hpp"

namespace ductile::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using cluster::Deadline;

constexpr auto order_comes_within = 60s;
constexpr auto start_limit = 30s;
constexpr auto between_looks = 20ms;
constexpr const char* beside_path = ":/usr/local/sbin:/usr/sbin:/sbin";

/// Daemons of other hosts may still write to a folder that hosts share.
void remove(const std::string& folder) {
    const Deadline deadline{5s};
    std::error_code failed;
    do {
        fs::remove_all(folder, failed);
        if (failed) std::this_thread::sleep_for(between_looks);
    } while (failed && !deadline.has_passed());
}

/// A TCP port that nobody else gets while this object lives.
class HeldPort {
  public:
    HeldPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        socklen_t size = sizeof address;
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_ANY);
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        if (!socket_ || ::bind(socket_.get(), any, size) < 0 ||
            ::getsockname(socket_.get(), any, &size) < 0)
            cluster::throw_errno("find a free port");
        number_ = ntohs(address.sin_port);
    }
    [[nodiscard]] int number() const { return number_; }

  private:
    os::Fd socket_;
    int number_ = 0;
};

int memory_mib() {
    const auto bytes =
        static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
    return static_cast<int>(std::max<std::int64_t>(1, bytes >> 20));
}

/// The signals that end the keeper, and the end of children, as a descriptor.
os::Fd hear_signals() {
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    for (const int number : os::end_signals) sigaddset(&heard, number);
    ::sigprocmask(SIG_BLOCK, &heard, nullptr);
    return os::Fd{::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK)};
}

/// By the names of the daemons that will use them.
using HeldPorts = std::map<std::string, HeldPort>;

class Keeper {
  public:
    Keeper(const os::Fd& in, const os::Fd& out, HeldPorts ports)
        : in_(in), out_(out), signals_(hear_signals()), ports_(std::move(ports)) {}
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    ~Keeper() {
        os::kill_until_none(os::find_descendants, 5s);
        for (const auto& folder : made_) remove(folder);
    }

    /// Throws if a daemon fails. Returns when the keeper is to end.
    void carry_out(const keeper::Order& order);

  private:
    struct Running {
        std::string name, output;
        pid_t pid;
    };

    void make(const keeper::Order& order);
    void start(const keeper::Daemon& daemon, const std::vector<std::string>& environment);
    /// Sleeps until something happens, at most this long. Returns whether the keeper is to end.
    /// Throws if a daemon has ended.
    bool is_to_end(std::chrono::milliseconds within);
    void collect_children();

    const os::Fd& in_;
    const os::Fd& out_;
    os::Fd signals_;
    HeldPorts ports_;
    std::vector<std::string> made_;
    std::vector<Running> running_;
};

void Keeper::make(const keeper::Order& order) {
    // If hosts share their /tmp, the keeper of another host may have made the same folder.
    for (const auto& folder : order.own_folders)
        if (::mkdir(folder.c_str(), 0700) == 0)
            made_.push_back(folder);
        else if (errno != EEXIST || !os::PrivateDirectory::find(folder))
            cluster::throw_errno("make the directory " + folder);
    std::error_code failed;
    for (const auto& folder : order.folders)
        if (fs::create_directory(folder, failed); failed)
            throw SystemError("cannot make the directory " + folder + ": " + failed.message());
    for (const auto& [path, mode, text] : order.files) {
        const os::Fd file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)};
        if (!file && errno == EEXIST) continue;
        if (!file ||
            ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            cluster::throw_errno("write " + path);
    }
}

void Keeper::start(const keeper::Daemon& daemon, const std::vector<std::string>& environment) {
    const auto nothing = os::open_nothing(O_RDONLY);
    const os::Fd output{
        ::open(daemon.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    if (!output) cluster::throw_errno("write " + daemon.output);
    const char* path = std::getenv("PATH");
    ports_.erase(daemon.name);
    os::Spawn what;
    what.argv = daemon.argv;
    what.file = os::find_program(
        daemon.argv.at(0), std::string(path == nullptr ? "/usr/bin:/bin" : path) + beside_path);
    if (what.file == daemon.argv[0])
        throw SystemError(fmt::format("there is no {} in PATH or in /usr/sbin", daemon.argv[0]));
    what.environment = environment;
    what.input = nothing.get();
    what.output = what.error = output.get();
    running_.push_back({daemon.name, daemon.output, os::spawn(what)});
}

void Keeper::collect_children() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
        for (const auto& daemon : running_)
            if (daemon.pid == pid)
                throw SystemError(fmt::format(
                    "{} has ended ({}); its last output:\n{}", daemon.name,
                    WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                        : fmt::format("exit code {}", WEXITSTATUS(status)),
                    cluster::last_lines(cluster::read_file(daemon.output))));
}

bool Keeper::is_to_end(std::chrono::milliseconds within) {
    std::array<pollfd, 2> watched{{{in_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), static_cast<int>(within.count()));
    signalfd_siginfo heard;
    while (::read(signals_.get(), &heard, sizeof heard) == sizeof heard)
        if (heard.ssi_signo != SIGCHLD) return true;
    collect_children();
    return watched[0].revents != 0;  // nothing is sent after the order, so this is its end
}

void Keeper::carry_out(const keeper::Order& order) {
    make(order);
    const Deadline deadline{start_limit};
    for (const auto& stage : order.stages) {
        for (const auto& daemon : stage.daemons) start(daemon, order.environment);
        for (const auto& daemon : stage.daemons) {
            const auto is_ready = [&daemon] {
                if (!daemon.ready_socket.empty()) return cluster::accepts(daemon.ready_socket);
                return daemon.ready_port == 0 || cluster::accepts("127.0.0.1", daemon.ready_port);
            };
            while (!is_ready()) {
                if (is_to_end(between_looks)) return;
                if (deadline.has_passed())
                    throw TimeoutError(
                        fmt::format("{} is not ready after {} s; its last output:\n{}", daemon.name,
                                    start_limit.count(),
                                    cluster::last_lines(cluster::read_file(daemon.output))));
            }
        }
    }
    say(out_, keeper::Ready{});
    while (!is_to_end(1h)) {
    }
}

}  // namespace

int keep_daemons(const os::Fd& in, const os::Fd& out) {
    ::signal(SIGPIPE, SIG_IGN);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a job of this Slurm leaves behind is found
    std::optional<Keeper> keeper;        // it says why it fails before it removes its folders
    try {
        HeldPorts ports;
        for (const char* daemon : {"slurmctld", "slurmdbd", "slurmd"}) ports[daemon];
        say(out, keeper::Resources{.slurmctld = ports["slurmctld"].number(),
                                   .slurmdbd = ports["slurmdbd"].number(),
                                   .slurmd = ports["slurmd"].number(),
                                   .memory_mib = memory_mib()});
        KeeperLines lines;
        const auto line = lines.next(in, Deadline{order_comes_within});
        if (!line) throw TimeoutError("nobody tells which daemons to start");
        const auto order = std::get<keeper::Order>(message_of<keeper::ToKeeper>(*line));
        keeper.emplace(in, out, std::move(ports)).carry_out(order);
        return 0;
    } catch (const std::exception& error) {
        say(out, keeper::Failed{std::string(error.what()).substr(0, wire::limits::text_bytes)});
        return 1;
    }
}

}  // namespace ductile::cli
