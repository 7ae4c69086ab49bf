#include "agent/served_group.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "agent/group_environment.hpp"
#include "agent/pmi_environment.hpp"
#include "agent/spawn.hpp"
#include "rms/proc.hpp"

namespace ductile::agent {

namespace {

constexpr int cannot_execute = 127;

struct Ends {
    os::Fd ours, theirs;
};

Ends make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw SystemError(std::string("cannot make a pipe: ") + std::strerror(errno));
    return {os::Fd(ends[0]), os::Fd(ends[1])};
}

Ends make_sockets() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw SystemError(std::string("cannot make a pair of sockets: ") + std::strerror(errno));
    return {os::Fd(ends[0]), os::Fd(ends[1])};
}

/// As a shell would find it: a name without '/' in the folders of `path`, in `directory`, then in
/// those of PATH. Throws InputError.
std::string find_executable(const std::string& name, const std::string& directory,
                            const std::string& path, const std::vector<std::string>& environment) {
    const auto in_directory = std::filesystem::path(directory) / name;
    if (name.find('/') != name.npos) return in_directory.string();
    std::string folders = path + ":" + directory;
    for (const auto& entry : environment)
        if (entry.starts_with("PATH=")) folders += ":" + entry.substr(5);
    std::istringstream words(folders);
    for (std::string folder; std::getline(words, folder, ':');) {
        const auto file = std::filesystem::path(directory) / folder / name;
        std::error_code ignored;
        if (!folder.empty() && std::filesystem::is_regular_file(file, ignored) &&
            ::access(file.c_str(), X_OK) == 0)
            return file.string();
    }
    throw InputError("cannot execute " + name + ": it is neither in " + directory +
                     " nor in a folder of PATH");
}

/// As exit() would cut it down. An abort is never a success.
int exit_code_of_abort(int code) {
    const int low_byte = code & 0xff;
    return low_byte == 0 ? 1 : low_byte;
}

}  // namespace

ServedGroup::ServedGroup(AgentContext& around, wire::StartRun what)
    : GroupRun(around, std::move(what)), processes_(slots_.size()), help_timer_(around.io) {}

void ServedGroup::start(const wire::AgentWelcome& welcome) {
    orphan_limit_ = std::chrono::duration<double>(welcome.orphan_limit_s);
    if (!what_.spawned) return start_all(welcome, {}, pmi::Gate::open);
    if (what_.children.empty()) look_at_program(welcome);
    expect_ranks();
}

void ServedGroup::start_ranks(const wire::AgentWelcome& welcome, const wire::StartRanks& order) {
    if (!what_.spawned || world_ || killing_ || ended_)
        throw InputError("order refused: group " + std::to_string(id().value) +
                         " awaits no start of its ranks here");
    start_all(welcome, wire::to_keys(order.keys), pmi::Gate::shut);
}

void ServedGroup::start_all(const wire::AgentWelcome& welcome, pmi::Keys keys, pmi::Gate gate) {
    const auto& served = std::get<wire::ServedWorld>(what_.manager);
    const auto name = pmi::KvsName::from_text(served.kvsname);
    if (!name)
        throw InputError("order refused: '" + served.kvsname + "' cannot be the name of a world");
    if (!served.mapping.empty()) keys["PMI_process_mapping"] = served.mapping;
    pmi::WorldOptions options{*name, served.universe, {}, std::move(keys), gate};
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto* child = child_at(i);
        options.ranks.push_back({in_world(rank_at(i)), child == nullptr ? 0 : child->appnum});
    }
    world_.emplace(std::move(options));
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto rank = rank_at(i);
        try {
            start_one(welcome, rank);
        } catch (const Error& error) {
            rank_ended(rank, {cannot_execute, 0, error.what()});
            pmi::Outbox effects;
            world_->on_rank_ended(in_world(rank), effects);
            carry_out(std::move(effects));
        }
    }
}

std::vector<std::string> ServedGroup::environment_of(core::Rank rank,
                                                     const wire::AgentWelcome& welcome) const {
    auto ours = marks();
    // A child is a program like any other: it has no part in resizes.
    if (!what_.children.empty())
        std::erase_if(ours, [](const auto& entry) { return entry.starts_with("DUCTILE_SOCKET="); });
    const auto pmi = pmi_environment({rank.value, std::get<wire::ServedWorld>(what_.manager).ranks,
                                      what_.first_rank, what_.ranks, what_.spawned});
    ours.insert(ours.end(), pmi.begin(), pmi.end());
    return group_environment(welcome.environment, ours);
}

void ServedGroup::start_one(const wire::AgentWelcome& welcome, core::Rank rank) {
    auto pmi = make_sockets();
    auto output = make_pipe(), error = make_pipe();
    const bool gets_input = what_.input && rank.value == 0;
    const auto input = gets_input ? around_.input.open({id(), rank})
                                  : wire::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Spawn what;
    what.argv = welcome.program;
    what.environment = environment_of(rank, welcome);
    what.directory = welcome.directory;
    if (const auto* child = child_at(static_cast<std::size_t>(rank.value - what_.first_rank))) {
        what.argv = child->program;
        if (!child->directory.empty())
            what.directory = (std::filesystem::path(what.directory) / child->directory).string();
        what.argv.at(0) =
            find_executable(what.argv.at(0), what.directory, child->path, welcome.environment);
    }
    what.umask = welcome.umask;
    what.resource_limits = welcome.resource_limits;
    what.input = input.get();
    what.output = output.theirs.get();
    what.error = error.theirs.get();
    what.extra = pmi.theirs.get();
    auto& mine = process(rank);
    mine.pid = spawn(what);
    slot(rank, "rank").started = true;
    around_.output.add(id(), rank, 1, std::move(output.ours));
    around_.output.add(id(), rank, 2, std::move(error.ours));
    mine.pmi = std::make_shared<PmiSocket>(around_.io, std::move(pmi.ours));
    mine.pmi->start([weak = weak_from_this(), rank](const std::string& line) {
        const auto self = std::static_pointer_cast<ServedGroup>(weak.lock());
        if (self) self->on_line(rank, line);
    });
}

const wire::ChildFields* ServedGroup::child_at(std::size_t index) const {
    for (const auto& child : what_.children) {
        if (index < static_cast<std::size_t>(child.ranks)) return &child;
        index -= static_cast<std::size_t>(child.ranks);
    }
    return nullptr;
}

void ServedGroup::signal_rank(core::Rank rank, int number) {
    if (const auto pid = process(rank).pid; pid != 0) ::kill(pid, number);
}

void ServedGroup::kill_rank(core::Rank rank, const std::string& why) {
    auto& mine = process(rank);
    if (mine.pid == 0 || !mine.blame.empty()) return;
    mine.blame = why;
    signal_rank(rank, SIGKILL);
}

// MPICH 5.0 counts on it: there MPI_Abort returns when nobody kills the process.
void ServedGroup::abort_rank(core::Rank rank, int code) {
    process(rank).abort_code = exit_code_of_abort(code);
    kill_rank(rank, "it called MPI_Abort");
}

void ServedGroup::signal_ranks(int number) {
    for (std::size_t i = 0; i < slots_.size(); ++i) signal_rank(rank_at(i), number);
}

void ServedGroup::kill() {
    if (ended_ || killing_) return;
    killing_ = true;
    around_.log("group " + std::to_string(id().value) + " is killed");
    end(find_processes(all_of_it()));
    signal_ranks(SIGKILL);
    look();
}

void ServedGroup::end_as_told() {
    dismiss();
    kill();
}

std::set<pid_t> ServedGroup::children() const {
    std::set<pid_t> pids;
    for (const auto& one : processes_)
        if (one.pid != 0) pids.insert(one.pid);
    return pids;
}

bool ServedGroup::child_reaped(pid_t pid, int status) {
    const auto found = std::ranges::find(processes_, pid, &Process::pid);
    if (pid == 0 || found == processes_.end()) return false;
    const auto rank = rank_at(static_cast<std::size_t>(found - processes_.begin()));
    found->pid = 0;  // from here on it may be another's
    found->pmi->drain();
    found->pmi->close();
    spawning_.erase(rank);
    accepting_.erase(rank);
    asking_names_.erase(rank);
    const bool by_signal = WIFSIGNALED(status) && !found->abort_code;
    const int signal = by_signal ? WTERMSIG(status) : 0;
    const int code = by_signal ? 128 + signal : found->abort_code.value_or(WEXITSTATUS(status));
    // How it has ended comes before what it means for others.
    if (code == 0 && is_unfinished(rank))
        rank_ended(rank, {1, 0, "it has ended without MPI_Finalize"});
    else
        rank_ended(rank, {code, signal, found->blame});
    pmi::Outbox effects;
    world_->on_rank_ended(in_world(rank), effects);
    carry_out(std::move(effects));
    return true;
}

// Others may wait for it in MPI for ever; an mpiexec ends them, too. Of ranks with a Job the
// broker knows better.
bool ServedGroup::is_unfinished(core::Rank rank) {
    const auto* state = world_->state_of(in_world(rank));
    const bool speaks = state != nullptr && !std::holds_alternative<pmi::Starting>(*state) &&
                        !std::holds_alternative<pmi::Ended>(*state) &&
                        !std::holds_alternative<pmi::Gone>(*state);
    const auto& mine = slot(rank, "rank");
    return speaks && !mine.hello && !mine.dismissed && !killing_;
}

void ServedGroup::consider_end() {
    if (!may_be_over()) return;
    give_grace();
    look();
}

bool ServedGroup::all_have_come() const {
    return world_.has_value();
}

bool ServedGroup::may_be_over() const {
    return (all_ranks_ended() || killing_) &&
           std::ranges::all_of(processes_, [](const Process& one) { return one.pid == 0; });
}

wire::RunEnded ServedGroup::last_word() const {
    if (!late_) return {id(), 0, 0, {}};
    return {id(), 1, 0, "nobody has started its ranks within 60 s"};
}

}  // namespace ductile::agent
