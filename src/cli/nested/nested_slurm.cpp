#include "cli/nested/nested_slurm.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <optional>

#include "cli/command_line.hpp"
#include "cli/nested/keeper_line.hpp"
#include "cli/nested/keeper_messages.hpp"
#include "cluster/slurm_config.hpp"
#include "cluster/slurm_files.hpp"
#include "cluster/slurm_probe.hpp"
#include "core/overloaded.hpp"
#include "ductile/error.hpp"
#include "os/descriptors.hpp"
#include "os/signals.hpp"
#include "os/spawn.hpp"
#include "rms/command_environment.hpp"
#include "rms/self.hpp"
#include "rms/slurm.hpp"
#include "rms/slurm_commands.hpp"

namespace ductile::cli {

namespace {

using namespace std::chrono_literals;
using cluster::Deadline;
using cluster::SlurmSite;

constexpr auto start_limit = 60s;
constexpr auto end_limit = 20s;
constexpr auto between_looks = 50ms;
constexpr int cannot_execute = 126, not_found = 127;

/// A signal has come before the command was started.
struct Interrupted {
    int signal;
};

std::vector<std::string> entries_of(const rms::Environment& environment) {
    std::vector<std::string> entries;
    for (const auto& [name, value] : environment) entries.push_back(name + "=" + value);
    return entries;
}

std::string short_name(const std::string& host) {
    return host.substr(0, host.find('.'));
}

std::string user_name() {
    const auto* const user = ::getpwuid(::geteuid());
    return user == nullptr ? std::to_string(::geteuid()) : user->pw_name;
}

/// A name for folders that no other user can guess.
std::string fresh_name() {
    std::array<unsigned char, 8> random{};
    if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
        cluster::throw_errno("make a name");
    auto name = fmt::format("ductile-nested-{}-", ::geteuid());
    for (const auto byte : random) name += fmt::format("{:02x}", byte);
    return name;
}

/// Slurm's name of the host on which this job step runs, which may differ from the host's own name;
/// empty: this is no job step.
std::string node_of_this_step() {
    const char* node = std::getenv("SLURMD_NODENAME");
    return node == nullptr ? "" : node;
}

/// A keeper on a host, seen from here.
struct KeeperProcess {
    std::string host;
    pid_t pid = -1;
    os::Fd in, out;
    os::Fd error;  ///< what srun says
    KeeperLines lines = {};
    std::deque<keeper::FromKeeper> heard = {};
    bool has_ended = false;                ///< it says nothing any more
    std::optional<std::size_t> node = {};  ///< of the site; none: it keeps no slurmd
};

/// The last lines that srun has written.
std::string last_words(const KeeperProcess& one) {
    std::array<char, 65536> text;
    os::never_block(one.error);
    const auto got = ::read(one.error.get(), text.data(), text.size());
    return got <= 0 ? ""
                    : ":\n" + cluster::last_lines({text.data(), static_cast<std::size_t>(got)});
}

/// There are three open files for each host.
class RaisedFileLimit {
  public:
    RaisedFileLimit() {
        if (::getrlimit(RLIMIT_NOFILE, &before_) != 0) return;
        auto raised = before_;
        raised.rlim_cur = raised.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &raised);
    }
    /// For the command. Files that are open stay open.
    void restore() const { ::setrlimit(RLIMIT_NOFILE, &before_); }

  private:
    rlimit before_{};
};

/// None for another line: a program of the site that runs before each step may have written it.
std::optional<keeper::FromKeeper> understood(const std::string& line) {
    try {
        return message_of<keeper::FromKeeper>(line);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

class NestedSlurm {
  public:
    NestedSlurm(rms::FoundSlurmJob outer, cluster::SlurmSpec slurm);
    NestedSlurm(const NestedSlurm&) = delete;
    NestedSlurm& operator=(const NestedSlurm&) = delete;
    ~NestedSlurm() { end_keepers(); }

    /// Returns when all hosts are idle.
    void start();
    /// Runs the command, and returns its exit code.
    int run(const std::vector<std::string>& command);

  private:
    void start_keeper(const std::string& host, const std::vector<std::string>& argv);
    /// Sleeps until one of these descriptors has something to say. Throws Interrupted.
    void wait(const std::vector<pollfd>& also, int left_ms);
    /// Takes what the keepers have said.
    void hear_all();
    void expect_no_failure() const;
    /// Throws if a keeper has failed.
    keeper::FromKeeper next_message(KeeperProcess& one, const Deadline& deadline);
    void order(KeeperProcess& one, const std::vector<cluster::SlurmStage>& stages,
               const std::vector<cluster::SlurmFile>& files);
    [[nodiscard]] rms::Environment inner_environment() const;
    void pass_signals(pid_t command);
    void tell_failures();
    void end_keepers();

    rms::FoundSlurmJob outer_;
    SlurmSite site_;
    os::Fd signals_;
    std::list<KeeperProcess> keepers_;  ///< the first: of the daemons of the controller
};

/// The signals that are passed on to the command, as a descriptor.
os::Fd hear_signals() {
    sigset_t heard;
    sigemptyset(&heard);
    for (const int number : os::not_ignored(os::end_signals)) sigaddset(&heard, number);
    for (const int number : os::not_ignored(os::program_signals())) sigaddset(&heard, number);
    sigaddset(&heard, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &heard, nullptr);
    return os::Fd{::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK)};
}

NestedSlurm::NestedSlurm(rms::FoundSlurmJob outer, cluster::SlurmSpec slurm)
    : outer_(std::move(outer)), signals_(hear_signals()) {
    const auto name = fresh_name();
    site_.home = "/tmp/" + name;
    site_.munge_home = "/dev/shm/" + name;
    site_.user = user_name();
    site_.controller = site_.controller_address = short_name(rms::host_name());
    site_.slurm = std::move(slurm);
}

void NestedSlurm::start_keeper(const std::string& host, const std::vector<std::string>& argv) {
    auto in = os::make_pipe("a keeper"), out = os::make_pipe("a keeper"),
         error = os::make_pipe("a keeper");
    const char* path = std::getenv("PATH");
    os::Spawn what;
    what.argv = argv;
    what.file = os::find_program(argv.at(0), path == nullptr ? "/usr/bin:/bin" : path);
    what.environment = os::own_environment();
    what.input = in.read.get();
    what.output = out.write.get();
    what.error = error.write.get();
    what.death_signal = 0;  // it ends with its standard input, and cleans up
    keepers_.push_back(
        {host, os::spawn(what), std::move(in.write), std::move(out.read), std::move(error.read)});
}

void NestedSlurm::wait(const std::vector<pollfd>& also, int left_ms) {
    std::vector<pollfd> watched{{signals_.get(), POLLIN, 0}};
    watched.insert(watched.end(), also.begin(), also.end());
    ::poll(watched.data(), watched.size(), left_ms);
    signalfd_siginfo heard;
    while (::read(signals_.get(), &heard, sizeof heard) == sizeof heard)
        if (std::ranges::find(os::end_signals, static_cast<int>(heard.ssi_signo)) !=
            os::end_signals.end())
            throw Interrupted{static_cast<int>(heard.ssi_signo)};
}

void NestedSlurm::hear_all() {
    for (auto& one : keepers_) {
        while (!one.has_ended && cluster::wait_readable(one.out.get(), 0))
            one.has_ended = !one.lines.read(one.out);
        while (const auto line = one.lines.take())
            if (auto message = understood(*line)) one.heard.push_back(*std::move(message));
    }
}

// A keeper that fails removes its folders, which another host may share. Then others fail, too. So
// all that have failed are named.
void NestedSlurm::expect_no_failure() const {
    std::string why;
    for (const auto& one : keepers_)
        for (const auto& message : one.heard)
            if (const auto* failed = std::get_if<keeper::Failed>(&message))
                why += (why.empty() ? "" : "\n") + one.host + ": " + failed->why;
    for (const auto& one : keepers_)
        if (why.empty() && one.has_ended && one.heard.empty())
            why = one.host + ": its keeper (libexec/ductile/slurm-keeper) has ended" +
                  last_words(one);
    if (!why.empty()) throw SystemError("cannot start a Slurm on " + why);
}

keeper::FromKeeper NestedSlurm::next_message(KeeperProcess& one, const Deadline& deadline) {
    while (true) {
        hear_all();
        expect_no_failure();
        if (!one.heard.empty()) {
            auto message = std::move(one.heard.front());
            one.heard.pop_front();
            return message;
        }
        if (deadline.has_passed())
            throw TimeoutError(fmt::format("cannot start a Slurm on {}: no answer after {} s",
                                           one.host, start_limit.count()));
        std::vector<pollfd> speakers;
        for (const auto& any : keepers_)
            if (!any.has_ended) speakers.push_back({any.out.get(), POLLIN, 0});
        wait(speakers, deadline.left_ms());
    }
}

void NestedSlurm::order(KeeperProcess& one, const std::vector<cluster::SlurmStage>& stages,
                        const std::vector<cluster::SlurmFile>& files) {
    keeper::Order order;
    order.own_folders = {site_.home, site_.munge_home};
    for (const char* name : {"log", "spool", "state", "sql", "data"})
        order.folders.push_back(site_.file(name));
    for (const auto& [path, mode, text] : files) order.files.push_back({path, mode, text});
    order.environment = cluster::slurm_environment(site_);
    order.environment.push_back("SLURM_CONF=" + site_.file("slurm.conf"));
    for (const auto& stage : stages) {
        keeper::Stage wanted;
        for (const auto& daemon : stage)
            wanted.daemons.push_back({daemon.name, daemon.argv,
                                      site_.file("log/" + daemon.name + "." + one.host + ".out"),
                                      daemon.ready_socket, daemon.ready_port});
        order.stages.push_back(std::move(wanted));
    }
    say(one.in, std::move(order));
}

void NestedSlurm::start() {
    const Deadline deadline{start_limit};
    const auto program = rms::companion("slurm-keeper");
    start_keeper(site_.controller, {program});
    auto& controller = keepers_.front();
    for (const auto& host : outer_.job.hosts.hosts) {
        site_.nodes.push_back(
            {.name = short_name(host.name), .address = host.name, .cpus = host.slots});
        // The daemons of one host share munged, so they have one keeper.
        const bool is_here =
            site_.nodes.back().name == site_.controller || host.name == node_of_this_step();
        if (!is_here)
            start_keeper(host.name, rms::SlurmCommands::run_on(host.name, outer_.job.job, {program},
                                                               rms::current_environment()));
        (is_here ? controller : keepers_.back()).node = site_.nodes.size() - 1;
    }
    for (auto& one : keepers_) {
        const auto host = std::get<keeper::Resources>(next_message(one, deadline));
        if (one.node) {
            site_.nodes[*one.node].slurmd_port = host.slurmd;
            site_.nodes[*one.node].memory_mib = host.memory_mib;
        }
        if (&one != &controller) continue;
        site_.slurmctld_port = host.slurmctld;
        site_.slurmdbd_port = host.slurmdbd;
    }
    const auto files = cluster::slurm_files(site_, cluster::random_munge_key());
    for (auto& one : keepers_) {
        auto stages = &one == &controller
                          ? cluster::controller_stages(site_)
                          : std::vector<cluster::SlurmStage>{{cluster::munged(site_)}};
        if (one.node) stages.push_back({cluster::slurmd(site_.nodes[*one.node].name)});
        order(one, stages, files);
    }
    for (auto& one : keepers_) next_message(one, deadline);  // ready
    auto asking = rms::environment_for_slurm(rms::current_environment());
    asking["SLURM_CONF"] = site_.file("slurm.conf");
    const auto environment = entries_of(asking);
    while (!cluster::are_hosts_idle(static_cast<int>(site_.nodes.size()), environment)) {
        // A ready keeper only speaks again if a daemon has ended.
        hear_all();
        expect_no_failure();
        if (deadline.has_passed())
            throw TimeoutError(fmt::format(
                "cannot start a Slurm: not all hosts are idle after {} s; slurmctld says:\n{}",
                start_limit.count(),
                cluster::last_lines(cluster::read_file(site_.file("log/slurmctld.log")))));
        wait({}, static_cast<int>(between_looks.count()));
    }
}

// No variable of the outer job reaches the command, except the file that finds its Slurm. Nor does
// an option of Slurm's commands, such as a partition of the site.
rms::Environment NestedSlurm::inner_environment() const {
    auto environment = rms::without_launcher_variables(rms::current_environment());
    std::erase_if(environment, [](const auto& one) { return rms::misleads_slurm(one.first); });
    const auto outer = environment.find("SLURM_CONF");
    if (outer != environment.end()) environment["DUCTILE_OUTER_SLURM_CONF"] = outer->second;
    environment["SLURM_CONF"] = site_.file("slurm.conf");
    return environment;
}

// A terminal has sent its signals to the command, too.
void NestedSlurm::pass_signals(pid_t command) {
    signalfd_siginfo heard;
    while (::read(signals_.get(), &heard, sizeof heard) == sizeof heard) {
        const auto number = static_cast<int>(heard.ssi_signo);
        const bool is_of_terminal = heard.ssi_code == SI_KERNEL &&
                                    (number == SIGINT || number == SIGQUIT || number == SIGHUP);
        if (number != SIGCHLD && !is_of_terminal) ::kill(command, number);
    }
}

void NestedSlurm::tell_failures() {
    for (auto& one : keepers_) {
        if (!one.out || !cluster::wait_readable(one.out.get(), 0)) continue;
        const bool is_alive = one.lines.read(one.out);
        std::string why = is_alive ? "" : "its keeper has ended" + last_words(one);
        while (const auto line = one.lines.take()) {
            const auto message = understood(*line);
            if (message && std::holds_alternative<keeper::Failed>(*message))
                why = std::get<keeper::Failed>(*message).why;
        }
        if (why.empty()) continue;
        fmt::print(stderr, "ductile nested-slurm: the Slurm on {} has ended: {}\n", one.host, why);
        one.out.reset();
    }
}

int NestedSlurm::run(const std::vector<std::string>& command) {
    std::vector<char*> words, variables;
    for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    const auto environment = entries_of(inner_environment());
    for (const auto& entry : environment) variables.push_back(const_cast<char*>(entry.c_str()));
    words.push_back(nullptr);
    variables.push_back(nullptr);
    // It stays in the process group of this program, so that it can use the terminal.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none, ignored_here;
    sigemptyset(&none);
    sigemptyset(&ignored_here);
    for (const int number : {SIGPIPE, SIGXFSZ}) sigaddset(&ignored_here, number);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &ignored_here);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const int failed =
        ::posix_spawnp(&pid, words[0], nullptr, &attributes, words.data(), variables.data());
    ::posix_spawnattr_destroy(&attributes);
    if (failed != 0) {
        fmt::print(stderr, "ductile nested-slurm: cannot run {}: {}\n", command[0],
                   std::strerror(failed));
        return failed == ENOENT ? not_found : cannot_execute;
    }
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
        std::vector<pollfd> watched{{signals_.get(), POLLIN, 0}};
        for (const auto& one : keepers_)
            if (one.out) watched.push_back({one.out.get(), POLLIN, 0});
        ::poll(watched.data(), watched.size(), -1);
        pass_signals(pid);
        tell_failures();
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void NestedSlurm::end_keepers() {
    for (auto& one : keepers_) one.in.reset();
    const Deadline deadline{end_limit};
    for (auto& one : keepers_) {
        while (::waitpid(one.pid, nullptr, WNOHANG) == 0) {
            if (deadline.has_passed()) {
                fmt::print(stderr, "ductile nested-slurm: the Slurm on {} has not ended\n",
                           one.host);
                ::kill(one.pid, SIGKILL);
                ::waitpid(one.pid, nullptr, 0);
                break;
            }
            const auto watch = os::watch_process(one.pid);
            if (watch) cluster::wait_readable(watch.get(), deadline.left_ms());
        }
    }
}

int run_nested(const std::vector<std::string>& settings, const std::string& job,
               const std::vector<std::string>& command) {
    if (command.empty())
        throw InputError(
            "there is no command; write -- before it, as in `ductile nested-slurm -- ./script.sh`");
    const cluster::SlurmSpec slurm{{}, settings};
    validate(slurm);
    const char* around = std::getenv("SLURM_JOB_ID");
    const auto number = !job.empty() ? job : std::string(around == nullptr ? "" : around);
    if (number.empty())
        throw InputError(
            "this is no Slurm job (SLURM_JOB_ID is not set); --slurm-job JOB names one of yours");
    ::signal(SIGPIPE, SIG_IGN);  // a keeper may end while it is written to
    ::signal(SIGCHLD, SIG_DFL);  // if it is ignored, nobody hears the end of a child
    const RaisedFileLimit limit;
    NestedSlurm nested(rms::find_slurm_job(rms::parse_slurm_job(number)), slurm);
    try {
        nested.start();
    } catch (const Interrupted& by) {
        return 128 + by.signal;
    }
    limit.restore();
    return nested.run(command);
}

}  // namespace

void add_nested_slurm_command(CLI::App& app, const std::vector<std::string>& command,
                              int& exit_code) {
    auto* nested = app.add_subcommand(
        "nested-slurm",
        "Run a command with a Slurm of your own, on the hosts of your Slurm job: ductile "
        "nested-slurm [options] -- COMMAND ...");
    struct Given {
        std::vector<std::string> settings;
        std::string job;
    };
    const auto given = std::make_shared<Given>();
    nested
        ->add_option("--slurm-set", given->settings,
                     "NAME=VALUE: a setting for slurm.conf; you can repeat this option")
        ->allow_extra_args(false);
    nested->add_option("--slurm-job", given->job,
                       "the Slurm job whose hosts are used (default: that of SLURM_JOB_ID)");
    nested->callback([given, command, &exit_code] {
        exit_code = run_nested(given->settings, given->job, command);
    });
}

}  // namespace ductile::cli
