#include "agent/launcher_group.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "agent/group_environment.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_signals = 1024;  // for a rank whose process is not known yet

wire::Fd open_process(int pid) {
    return wire::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace

LauncherGroup::LauncherGroup(AgentContext& around, wire::StartRun what)
    : GroupRun(around, std::move(what)),
      starters_(slots_.size()),
      remote_(what_.group, what_.world) {}

void LauncherGroup::start(const wire::AgentWelcome& welcome) {
    orphan_limit_ = std::chrono::duration<double>(welcome.orphan_limit_s);
    keeps_daemons_ = welcome.keeps_daemons;
    if (awaits_proxy()) {
        if (what_.spawned) look_at_program(welcome);
        program_ = welcome.program;
        return expect_ranks();
    }
    auto argv = welcome.launcher;
    const auto ranks = rank_arguments(what_, welcome);
    argv.insert(argv.end(), ranks.begin(), ranks.end());
    // The starter gets the program from its agent: words such as ":" mean something to mpiexec.
    argv.push_back(around_.starter);
    program_ = welcome.program;
    launch(welcome, std::move(argv));
    if (!what_.world.empty()) expect_ranks();
}

void LauncherGroup::start_proxy(const wire::AgentWelcome& welcome,
                                const std::vector<std::string>& argv) {
    if (!awaits_proxy() || launcher_ || refusing_ || killing_ || ended_)
        throw InputError("order refused: group " + std::to_string(id().value) +
                         " awaits no proxy here");
    launch(welcome, argv);
}

// Two daemons of a launcher that share a folder clean up each other's files. It ends with the
// agent's own.
std::string LauncherGroup::folder_of_its_own() const {
    const auto path = std::filesystem::path(around_.socket_path).parent_path() /
                      ("g" + std::to_string(id().value));
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (error)
        throw SystemError("cannot make the folder " + path.string() + ": " + error.message());
    return path.string();
}

void LauncherGroup::launch(const wire::AgentWelcome& welcome, std::vector<std::string> argv) {
    auto ours = marks();
    ours.push_back("DUCTILE_STARTER=" + around_.starter);
    if (!welcome.folder_variables.empty()) {
        const auto folder = folder_of_its_own();
        for (const auto& variable : welcome.folder_variables)
            ours.push_back(variable + "=" + folder);
    }
    Spawn spawn;
    spawn.argv = std::move(argv);
    spawn.environment = group_environment(welcome.environment, ours);
    spawn.directory = welcome.directory;
    spawn.umask = welcome.umask;
    spawn.resource_limits = welcome.resource_limits;
    launcher_ = LauncherRun::start(
        around_.io, std::move(spawn), [weak = weak_from_this()](const std::string& line) {
            const auto self = std::static_pointer_cast<LauncherGroup>(weak.lock());
            if (!self || self->killing_ || self->ended_ || is_launcher_noise(line)) return;
            self->around_.tell(wire::Notice{line});
        });
}

void LauncherGroup::adopt_starter(const std::shared_ptr<LocalPeer>& peer,
                                  const wire::StarterHello& hello, std::vector<wire::Fd> pipes) {
    slot(hello.rank, "starter");
    auto& mine = starter(hello.rank);
    const bool ending = killing_ || refusing_;
    if (mine.peer || ending || pipes.size() != 2)
        throw InputError("starter refused: rank " + std::to_string(hello.rank.value) +
                         " of group " + std::to_string(id().value) +
                         (mine.peer ? " is taken"
                          : ending  ? " is being ended"
                                    : " brings no pipes"));
    mine.peer = peer;
    around_.output.add(id(), hello.rank, 1, std::move(pipes[0]));
    around_.output.add(id(), hello.rank, 2, std::move(pipes[1]));
    const auto self = std::static_pointer_cast<LauncherGroup>(shared_from_this());
    peer->on_message = [self, rank = hello.rank](const wire::Json& json,
                                                 const std::vector<wire::Fd>&) {
        self->on_starter(rank, json);
    };
    peer->on_closed = [self, rank = hello.rank](const std::string&) {
        self->rank_ended(rank, {128 + SIGKILL, SIGKILL, "its starter was killed"});
        self->look();
    };
    const bool input = what_.input && hello.rank.value == 0;
    peer->send(wire::to_frame(wire::ToStarter{wire::StarterWelcome{program_}}),
               input ? around_.input.open({id(), hello.rank})
                     : wire::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
}

void LauncherGroup::on_starter(core::Rank rank, const wire::Json& json) {
    using FromStarter = std::variant<wire::StarterStarted, wire::StarterEnded>;
    auto& mine = starter(rank);
    std::visit(wire::Overloaded{[&](const wire::StarterStarted& message) {
                                    slot(rank, "starter").started = true;
                                    mine.process = open_process(message.pid);
                                    for (const int number : std::exchange(mine.signals, {}))
                                        mine.signal(number);
                                },
                                [&](const wire::StarterEnded& message) {
                                    rank_ended(rank, {message.code, message.signal, message.why});
                                    mine.process.reset();
                                }},
               wire::decode<FromStarter>(json));
}

void LauncherGroup::adopt_companion(const std::shared_ptr<LocalPeer>& peer,
                                    const wire::RemoteLaunch& what) {
    peer->on_message = nullptr;
    peer->on_closed = nullptr;
    try {
        around_.tell(remote_.ask(peer, what));
    } catch (const InputError& error) {
        // mpiexec may end without passing on what its companion says.
        around_.tell(wire::Notice{error.what()});
        answer_companion(peer, 1);
    }
}

void LauncherGroup::proxy_ended(const wire::ProxyPart& part, int code) {
    remote_.ended(part, code);
    consider_end();
}

void LauncherGroup::set_brokerless(bool on) {
    GroupRun::set_brokerless(on);
    consider_end();
}

void LauncherGroup::tell_again() {
    for (const auto& proxy : remote_.wanted()) around_.tell(proxy);
}

// Once all ranks have ended mpiexec should end soon. It waits for its proxies, and for their
// companions, which without a broker nobody would let go.
void LauncherGroup::consider_end() {
    if (proxy_stays()) {
        if (!no_rank_left()) return;
        give_grace();
        return look();
    }
    if (!all_ranks_ended()) return;
    if (brokerless_) {
        left_alone_ = left_alone_ || remote_.carries();
        remote_.release();
    }
    if (remote_.all_ended() && !is_needed()) kill_after(launcher_patience);
}

void LauncherGroup::Starter::signal(int number) const {
    if (process) ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}

void LauncherGroup::signal_ranks(int number) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto& mine = slots_[i];
        auto& starter = starters_[i];
        if (mine.ended) continue;
        if (mine.started)
            starter.signal(number);
        else if (starter.peer && starter.signals.size() < max_signals)
            starter.signals.push_back(number);
    }
}

void LauncherGroup::on_kill_due() {
    if (is_needed() || proxy_stays() || (what_.spawned && !refusing_))
        kill_ranks();
    else
        kill();
}

void LauncherGroup::end_as_told() {
    dismiss();
    if (what_.spawned || is_needed())
        kill_ranks();
    else
        kill();
}

void LauncherGroup::kill_ranks() {
    if (ended_ || killing_) return;
    refusing_ = true;
    around_.log("the ranks of group " + std::to_string(id().value) + " are killed");
    if (!all_noted()) stale_files_.note_all(find_processes(all_of_it()));
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].ended || !starters_[i].peer) continue;
        if (slots_[i].started)
            starters_[i].signal(SIGKILL);
        else
            starters_[i].peer->close("its rank is not wanted any more");
    }
    if (!launcher_ || (proxy_stays() && no_rank_left()))
        look();
    else if (!is_needed() && !proxy_stays())
        kill_after(launcher_patience);
}

void LauncherGroup::kill() {
    if (ended_ || killing_) return;
    killing_ = true;
    overdue_ = launcher_runs() && all_ranks_ended();
    around_.log("group " + std::to_string(id().value) + " is killed");
    end(find_processes(all_of_it()));
    if (launcher_) launcher_->kill();
    look();
}

std::set<pid_t> LauncherGroup::children() const {
    if (!launcher_runs()) return {};
    return {launcher_->pid()};
}

bool LauncherGroup::child_reaped(pid_t pid, int status) {
    if (!launcher_runs() || launcher_->pid() != pid) return false;
    launcher_->reaped(status);
    if (!ended_) {
        give_grace();
        look();
    }
    return true;
}

bool LauncherGroup::no_rank_left() const {
    for (std::size_t i = 0; i < slots_.size(); ++i)
        if (!slots_[i].ended && !(refusing_ && !starters_[i].peer)) return false;
    return true;
}

bool LauncherGroup::all_have_come() const {
    return std::ranges::all_of(starters_, [](const Starter& mine) { return mine.peer != nullptr; });
}

// Also when the ranks of a proxy that stays have ended.
bool LauncherGroup::may_be_over() const {
    return !launcher_runs() || (proxy_stays() && no_rank_left());
}

void LauncherGroup::complete(Belonging& whose) const {
    if (!launcher_runs() && launcher_) whose.session = launcher_->pid();
}

bool LauncherGroup::awaits_rank() const {
    for (std::size_t i = 0; i < slots_.size(); ++i)
        if (starters_[i].peer && !slots_[i].ended) return true;
    return false;
}

wire::RunEnded LauncherGroup::last_word() const {
    wire::RunEnded end;
    end.group = id();
    if (overdue_) {
        end.text = "mpiexec did not end after its ranks, and was killed";
    } else if (late_) {
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
