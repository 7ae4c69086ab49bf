#include "agent/launcher_group.hpp"

#include <fcntl.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "agent/group_environment.hpp"
#include "agent/input.hpp"
#include "os/descriptors.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_signals = 1024;  // for a rank whose process is not known yet
constexpr auto start_limit = std::chrono::seconds(60);

}  // namespace

LauncherGroup::LauncherGroup(const AgentContext& context, wire::StartRun what)
    : GroupRun(context, std::move(what)),
      shims_(life().ranks().size()),
      remote_(what_.group, what_.world) {}

void LauncherGroup::start(const wire::AgentWelcome& welcome) {
    orphan_limit_ = std::chrono::duration<double>(welcome.orphan_limit_s);
    keeps_daemons_ = welcome.keeps_daemons;
    const auto until = os::JobClock::now() + start_limit;
    if (awaits_proxy()) {
        if (what_.spawned) expect_program(welcome);
        program_ = welcome.program;
        tell_life();
        return on(group_event::RanksExpected{until});
    }
    auto argv = welcome.launcher;
    const auto ranks = rank_arguments(what_, welcome);
    argv.insert(argv.end(), ranks.begin(), ranks.end());
    // mpiexec starts shims, and each shim gets the program from its agent: words of the program
    // such as ":" would have a meaning for mpiexec.
    argv.push_back(context_.self.shim);
    program_ = welcome.program;
    launch(welcome, std::move(argv));
    if (!what_.world.empty()) on(group_event::RanksExpected{until});
}

void LauncherGroup::start_proxy(const wire::AgentWelcome& welcome,
                                const std::vector<std::string>& argv) {
    if (!awaits_proxy() || launcher_ || life().takes_no_ranks() || life().has_ended())
        throw InputError("order refused: group " + std::to_string(what_.group.value) +
                         " awaits no proxy here");
    launch(welcome, argv);
}

// Two daemons of a launcher that share a folder remove each other's files. The folder is inside the
// agent's directory, and is removed with it.
std::string LauncherGroup::folder_of_its_own() const {
    const auto path = std::filesystem::path(context_.self.socket_path).parent_path() /
                      ("g" + std::to_string(what_.group.value));
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (error)
        throw SystemError("cannot make the folder " + path.string() + ": " + error.message());
    return path.string();
}

void LauncherGroup::launch(const wire::AgentWelcome& welcome, std::vector<std::string> argv) {
    auto ours = processes_.marks();
    ours.push_back("DUCTILE_SHIM=" + context_.self.shim);
    if (!welcome.folder_variables.empty()) {
        const auto folder = folder_of_its_own();
        for (const auto& variable : welcome.folder_variables)
            ours.push_back(variable + "=" + folder);
    }
    os::Spawn spawn;
    spawn.argv = std::move(argv);
    spawn.environment = group_environment(welcome.environment, ours);
    spawn.directory = welcome.directory;
    spawn.umask = welcome.umask;
    spawn.resource_limits = welcome.resource_limits;
    launcher_ = LauncherRun::start(
        context_.io, std::move(spawn), [weak = weak_from_this()](const std::string& line) {
            const auto self = std::static_pointer_cast<LauncherGroup>(weak.lock());
            if (!self || self->life().is_being_killed() || self->life().has_ended() ||
                is_launcher_noise(line))
                return;
            self->context_.tell(wire::Notice{line});
        });
    tell_life();
}

void LauncherGroup::adopt_shim(const std::shared_ptr<LocalPeer>& peer, const wire::ShimHello& hello,
                               std::vector<wire::Fd> pipes) {
    const auto place = place_of(hello.rank, "shim");
    auto& mine = shims_.at(place);
    const bool ending = life().takes_no_ranks();
    if (mine.peer || ending || pipes.size() != 2)
        throw InputError("shim refused: rank " + std::to_string(hello.rank.value) + " of group " +
                         std::to_string(what_.group.value) +
                         (mine.peer ? " is taken"
                          : ending  ? " is being ended"
                                    : " brings no pipes"));
    mine.peer = peer;
    mine.self = os::watch_process(hello.pid);
    rank_started({{what_.group, hello.rank}, std::move(pipes[0]), std::move(pipes[1])});
    const auto self = std::static_pointer_cast<LauncherGroup>(shared_from_this());
    peer->on_message = [self, place](const wire::Message& encoded, const std::vector<wire::Fd>&) {
        self->on_shim(place, encoded);
    };
    peer->on_closed = [self, place](const std::string&) {
        self->rank_ended(place, {128 + SIGKILL, SIGKILL, "its shim was killed"});
    };
    const bool input = what_.input && hello.rank.value == 0;
    peer->send(wire::to_frame(wire::ToShim{wire::ShimWelcome{program_}}),
               input ? context_.input.open({what_.group, hello.rank}) : os::open_nothing(O_RDONLY));
}

void LauncherGroup::on_shim(Place place, const wire::Message& encoded) {
    auto& mine = shims_.at(place);
    std::visit(wire::Overloaded{[&](const wire::ShimStarted& message) {
                                    mine.process = os::watch_process(message.pid);
                                    mine.started = true;
                                    for (const int number : std::exchange(mine.signals, {}))
                                        mine.signal(number);
                                },
                                [&](const wire::ShimEnded& message) {
                                    rank_ended(place, {message.code, message.signal, message.why});
                                    mine.process.reset();
                                    mine.self.reset();
                                }},
               wire::decode<wire::FromShim>(encoded));
}

void LauncherGroup::adopt_companion(const std::shared_ptr<LocalPeer>& peer,
                                    const wire::RemoteLaunch& what) {
    peer->on_message = nullptr;
    peer->on_closed = nullptr;
    try {
        context_.tell(remote_.ask(peer, what));
        tell_life();
    } catch (const InputError& error) {
        // mpiexec may end without printing the message of its companion.
        context_.tell(wire::Notice{error.what()});
        answer_companion(peer, 1);
    }
}

void LauncherGroup::proxy_ended(const wire::ProxyPart& part, int code) {
    remote_.ended(part, code);
    tell_life();
}

void LauncherGroup::tell_life() {
    using Process = LauncherState::Process;
    LauncherState now;
    if (launcher_) now.process = launcher_->running() ? Process::runs : Process::ended;
    now.is_part = what_.spawned;
    now.stays = keeps_daemons_ && awaits_proxy();
    now.is_needed = left_alone_ || remote_.carries();
    now.holds_companions = !remote_.wanted().empty();
    now.others_ended = remote_.all_ended();
    on(group_event::LauncherChanged{now});
}

void LauncherGroup::tell_again() {
    for (const auto& proxy : remote_.wanted()) context_.tell(proxy);
}

// The other groups of this mpiexec continue.
void LauncherGroup::release_companions() {
    left_alone_ = left_alone_ || remote_.carries();
    remote_.release();
    tell_life();
}

// The shim passes the signal on to the process group of the rank. It cannot do so with SIGKILL.
void LauncherGroup::Shim::signal(int number) const {
    const auto& receiver = number == SIGKILL ? process : self;
    if (receiver) os::signal_process(receiver.get(), number);
}

void LauncherGroup::signal_rank(Place place, int number) {
    auto& mine = shims_.at(place);
    if (mine.started)
        mine.signal(number);
    else if (number == SIGKILL)
        mine.peer->close("its rank is not wanted any more");
    else if (mine.signals.size() < max_signals)
        mine.signals.push_back(number);
}

void LauncherGroup::kill_launcher() {
    if (launcher_) launcher_->kill();
}

std::set<pid_t> LauncherGroup::children() const {
    if (!launcher_runs()) return {};
    return {launcher_->pid()};
}

bool LauncherGroup::child_reaped(pid_t pid, int status) {
    if (!launcher_runs() || launcher_->pid() != pid) return false;
    launcher_->reaped(status);
    processes_.add_session(pid);
    tell_life();
    return true;
}

wire::RunEnded LauncherGroup::last_word(GroupCause cause) const {
    wire::RunEnded end;
    end.group = what_.group;
    if (cause == GroupCause::overdue) {
        end.text = "mpiexec did not end after its ranks, and was killed";
    } else if (cause == GroupCause::late) {
        end.code = 1;
        end.text = "its ranks here did not start within 60 s";
        if (launcher_ && !launcher_->text().empty()) end.text += ": " + launcher_->text();
    } else if (launcher_ && !launcher_runs()) {
        end.code = launcher_->code();
        end.signal = launcher_->signal();
        end.text = launcher_->text();
    }
    return end;
}

}  // namespace ductile::agent
