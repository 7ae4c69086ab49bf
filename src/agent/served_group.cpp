#include "agent/served_group.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "agent/group_environment.hpp"
#include "agent/input.hpp"
#include "core/contract.hpp"
#include "ductile/error.hpp"
#include "os/cores.hpp"
#include "os/descriptors.hpp"
#include "os/pipe.hpp"
#include "os/proc.hpp"
#include "os/spawn.hpp"
#include "os/tcp_peer.hpp"
#include "pmi/port.hpp"
#include "rms/self.hpp"

namespace ductile::agent {

namespace {

constexpr int cannot_execute = 127;
constexpr auto start_limit = std::chrono::seconds(60);
constexpr std::size_t most_lone_programs = 1024;
constexpr std::size_t most_notes = 100;  // about them

/// Finds a program. A name with '/' is relative to `directory`. For a name without '/', looks in
/// the folders of `path`, in `directory`, and in the folders of PATH, in this order. Throws
/// InputError if the program is in none of them.
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

/// The file of the MPI library that a process uses, for messages.
std::string mpi_library_of(pid_t pid) {
    std::istringstream maps(os::read_proc(pid, "maps"));
    for (std::string line; std::getline(maps, line);)
        if (line.find("/libmpi") != line.npos) return line.substr(line.find('/'));
    return "an MPI";
}

bool is_alive(pid_t process) {
    const auto found = os::read_process(process);
    return found && !found->is_dead();
}

/// The low byte of the code, as for exit(). Returns 1 instead of 0: an abort is never a success.
int exit_code_of_abort(int code) {
    const int low_byte = code & 0xff;
    return low_byte == 0 ? 1 : low_byte;
}

}  // namespace

ServedGroup::ServedGroup(const AgentContext& context, wire::StartRun what)
    : GroupRun(context, std::move(what)),
      ranks_(life().ranks().size()),
      pmi_(context, what_.group,
           {[this](core::Rank rank, const std::string& line) {
                const auto& pmi = process(rank).pmi;
                return !pmi || pmi->send(line);
            },
            [this](core::Rank rank, const std::string& why) { kill_rank(rank, why); },
            [this](core::Rank rank, int code) { abort_rank(rank, code); },
            [this](core::Rank rank) { return life().ranks()[place_of(rank, "spawn")].spawns(); }}) {
    DUCTILE_EXPECT(std::holds_alternative<wire::ServedWorld>(what_.manager));
    const auto& world = std::get<wire::ServedWorld>(what_.manager);
    connects_ = !world.port_needs_ipv4 || rms::has_ipv4_address();
}

ServedGroup::~ServedGroup() {
    for (auto& one : ranks_) close_program(one);
    for (const auto& program : lone_) program->close();
}

void ServedGroup::start(const wire::AgentWelcome& welcome) {
    orphan_limit_ = std::chrono::duration<double>(welcome.orphan_limit_s);
    if (!what_.spawned) return start_all(welcome, {}, pmi::Gate::open);
    if (what_.children.empty()) expect_program(welcome);
    on(group_event::RanksExpected{os::JobClock::now() + start_limit});
}

void ServedGroup::start_ranks(const wire::AgentWelcome& welcome, const wire::StartRanks& order) {
    if (!what_.spawned || pmi_.is_open() || life().takes_no_ranks() || life().has_ended())
        throw InputError("order refused: group " + std::to_string(what_.group.value) +
                         " awaits no start of its ranks here");
    start_all(welcome, wire::to_keys(order.keys), pmi::Gate::shut);
}

void ServedGroup::start_all(const wire::AgentWelcome& welcome, pmi::Keys keys, pmi::Gate gate) {
    const auto& served = std::get<wire::ServedWorld>(what_.manager);
    const auto name = pmi::KvsName::from_text(served.kvsname);
    if (!name)
        throw InputError("order refused: '" + served.kvsname + "' cannot be the name of a world");
    if (!served.mapping.empty()) keys["PMI_process_mapping"] = served.mapping;
    const auto mapping = served.mapping_follows ? pmi::Mapping::awaited : pmi::Mapping::known;
    pmi::WorldOptions options{*name, served.universe, {}, std::move(keys), gate, mapping};
    for (const auto place : all_places(*this)) {
        const auto* child = child_at(place);
        options.ranks.push_back(
            {pmi::WorldRank{rank_at(place).value}, child == nullptr ? 0 : child->appnum});
    }
    pmi_.open(std::move(options));
    for (const auto place : all_places(*this)) {
        const auto rank = rank_at(place);
        try {
            start_one(welcome, rank);
        } catch (const Error& error) {
            context_.input.end_of({what_.group, rank});
            rank_ended(place, {cannot_execute, 0, error.what()});
            pmi_.on_rank_ended(rank);
        }
    }
}

std::vector<std::string> ServedGroup::environment_of(core::Rank rank,
                                                     const wire::AgentWelcome& welcome) const {
    auto ours = processes_.marks();
    // The program started the children by MPI_Comm_spawn. They take no part in resizes.
    if (!what_.children.empty())
        std::erase_if(ours, [](const auto& entry) { return entry.starts_with("DUCTILE_SOCKET="); });
    const RankPlace place{{what_.group, rank},
                          std::get<wire::ServedWorld>(what_.manager).ranks,
                          local_rank_at(place_of(rank, "start")),
                          what_.ranks,
                          what_.spawned,
                          connects_ ? context_.pmi_port.address() : "",
                          ranks_[place_of(rank, "start")].pmi_id};
    for (auto& entry : environment_by(context_.services, place)) ours.push_back(std::move(entry));
    if (what_.machine_slots > os::usable_cores())
        for (const auto& entry : welcome.shared_cores_environment) ours.push_back(entry);
    return group_environment(welcome.environment, ours);
}

void ServedGroup::start_one(const wire::AgentWelcome& welcome, core::Rank rank) {
    auto& mine = process(rank);
    std::optional<PmiPort::Inherited> inherited;
    if (connects_)
        mine.pmi_id =
            context_.pmi_port.add([weak = weak_from_this(), rank](const PmiProgram& program) {
                const auto self = std::static_pointer_cast<ServedGroup>(weak.lock());
                if (self) self->on_program(rank, program);
            });
    else
        inherited = context_.pmi_port.make_inherited();
    auto output = os::make_pipe("a rank's output"), error = os::make_pipe("a rank's errors");
    const bool gets_input = what_.input && rank.value == 0;
    const auto input =
        gets_input ? context_.input.open({what_.group, rank}) : os::open_nothing(O_RDONLY);
    os::Spawn what;
    what.argv = welcome.program;
    what.environment = environment_of(rank, welcome);
    what.directory = welcome.directory;
    if (const auto* child = child_at(place_of(rank, "start"))) {
        what.argv = child->program;
        if (!child->directory.empty())
            what.directory = (std::filesystem::path(what.directory) / child->directory).string();
        what.argv.at(0) =
            find_executable(what.argv.at(0), what.directory, child->path, welcome.environment);
    }
    what.umask = welcome.umask;
    what.resource_limits = welcome.resource_limits;
    what.input = input.get();
    what.output = output.write.get();
    what.error = error.write.get();
    if (inherited) what.extra = inherited->theirs.get();
    mine.pid = os::spawn(what);
    rank_started({{what_.group, rank}, std::move(output.read), std::move(error.read)});
    if (inherited) take_program(rank, inherited->ours, 0);
}

bool ServedGroup::has_finalised(Place place) const {
    const auto* state = pmi_.state_of(rank_at(place));
    return state != nullptr && std::holds_alternative<pmi::Ended>(*state);
}

void ServedGroup::on_program(core::Rank rank, const PmiProgram& program) {
    const auto place = place_of(rank, "program");
    auto& mine = ranks_[place];
    const pid_t process = os::holder_of(program.inode, mine.pid).value_or(0);
    // What the programs before have said comes first.
    drain_link(place);
    if (mine.pmi != nullptr) mine.pmi->drain();
    if (has_died(place)) program_has_closed(rank);
    // Nobody waits for the only rank of a world, unless it is one of the job or has a parent.
    const bool is_alone = std::get<wire::ServedWorld>(what_.manager).ranks == 1 && !what_.spawned &&
                          !life().ranks()[place].has_sent_hello();
    if (is_alone && has_died(place)) pmi_.on_program_gone(rank);
    const bool is_leaver = mine.pmi != nullptr && life().ranks()[place].is_dismissed();
    if (!is_leaver && has_died(place) && is_own_program(place, process)) {
        program.socket->close();
        return kill_rank(rank,
                         "its MPI program has ended without MPI_Finalize, and it runs another");
    }
    const auto* state = pmi_.state_of(rank);
    const bool is_silent = state != nullptr && std::holds_alternative<pmi::Starting>(*state) &&
                           mine.pmi != nullptr && mine.pmi->has_ended();
    const bool is_next = mine.pmi == nullptr || has_finalised(place) || is_silent;
    if (!is_own_program(place, process)) return leave_alone(rank, program, process);
    if (is_leaver) {
        program.socket->close();
        return end_leaver(place);
    }
    if (!is_next) return leave_alone(rank, program, process);
    mine.after_job = life().ranks()[place].has_sent_goodbye();
    take_program(rank, program.socket, process);
    program.socket->send(
        pmi::greeting(std::get<wire::ServedWorld>(what_.manager).ranks, rank.value));
}

// It was to leave, and its script goes on with another program.
void ServedGroup::end_leaver(Place place) {
    ranks_[place].has_left = true;
    kill_rank(rank_at(place), "it has left");
}

void ServedGroup::rank_leaves(Place place) {
    pmi_.on_rank_leaves(rank_at(place));
    if (ranks_[place].after_job) end_leaver(place);
}

bool ServedGroup::is_own_program(Place place, pid_t process) const {
    const auto& mine = ranks_[place];
    if (mine.pmi == nullptr || mine.program == 0) return true;
    if (process == 0 || os::is_descendant(process, mine.program)) return false;
    return has_finalised(place) || process == mine.program || mine.pmi->has_ended() ||
           !is_alive(mine.program) || os::is_descendant(mine.program, process);
}

bool ServedGroup::speaks(Place place) const {
    const auto* state = pmi_.state_of(rank_at(place));
    return state != nullptr && !std::holds_alternative<pmi::Starting>(*state) &&
           !std::holds_alternative<pmi::Ended>(*state) &&
           !std::holds_alternative<pmi::Gone>(*state);
}

bool ServedGroup::has_died(Place place) const {
    const auto& mine = ranks_[place];
    if (mine.pmi == nullptr || !speaks(place)) return false;
    return mine.pmi->has_ended() || (mine.program != 0 && !is_alive(mine.program));
}

void ServedGroup::on_lines(core::Rank rank, const std::vector<std::string>& lines) {
    // A socket that the rank inherits does not close with its program.
    if (!connects_ && lines.front().starts_with("cmd=init")) {
        process(rank).after_job = life().ranks()[place_of(rank, "program")].has_sent_goodbye();
        program_has_closed(rank);
    }
    pmi_.on_lines(rank, lines);
}

void ServedGroup::take_program(core::Rank rank, std::shared_ptr<PmiSocket> program, pid_t process) {
    auto& mine = this->process(rank);
    if (mine.pmi != nullptr) {
        mine.pmi->close();
        pmi_.on_next_program(rank);
    }
    mine.pmi = std::move(program);
    mine.program = process;
    const std::weak_ptr<GroupRun> weak = weak_from_this();
    mine.pmi->hand_over(
        [weak, rank](const std::vector<std::string>& lines) {
            const auto self = std::static_pointer_cast<ServedGroup>(weak.lock());
            if (self) self->on_lines(rank, lines);
        },
        [weak, rank] {
            const auto self = std::static_pointer_cast<ServedGroup>(weak.lock());
            if (self) self->program_has_closed(rank);
        });
}

// Not all ranks of a job finalise MPI (Capabilities::finalises). For the rank's next program, one
// that has said goodbye has finalised.
void ServedGroup::program_has_closed(core::Rank rank) {
    const auto place = place_of(rank, "program");
    if (speaks(place) && life().ranks()[place].has_sent_goodbye()) pmi_.on_program_gone(rank);
}

void ServedGroup::leave_alone(core::Rank rank, const PmiProgram& program, pid_t process) {
    if (lone_.size() >= most_lone_programs) return program.socket->close();
    const auto who = "an MPI program in rank " + core::to_string({what_.group, rank}) + " ";
    const auto lone = std::make_shared<LoneProgram>(
        program, process,
        LoneProgram::Events{[this, who](const std::string& what) {
                                if (said_.size() < most_notes && said_.insert(who + what).second)
                                    context_.tell(wire::Notice{who + what});
                            },
                            [this](LoneProgram& ended) {
                                ended.close();
                                lone_.erase(ended.shared_from_this());
                            }});
    lone_.insert(lone);
    lone->start();
}

void ServedGroup::close_program(Process& of) {
    context_.pmi_port.remove(of.pmi_id);
    if (of.pmi) of.pmi->close();
}

const wire::ChildFields* ServedGroup::child_at(Place place) const {
    for (const auto& child : what_.children) {
        if (place < static_cast<Place>(child.ranks)) return &child;
        place -= static_cast<Place>(child.ranks);
    }
    return nullptr;
}

void ServedGroup::set_brokerless(bool on_now) {
    GroupRun::set_brokerless(on_now);
    pmi_.set_brokerless(on_now);
}

// An MPI_Comm_spawn of children was given up when the broker was lost, so a gate that is still
// shut is lost. For newcomers of a resize, the new broker decides.
void ServedGroup::tell_again() {
    pmi_.tell_again();
    if (!what_.children.empty()) pmi_.tell_gate_lost(rank_at(0));
}

// With an MPI that does not use PMI-1, each process believes that it is alone in its world.
void ServedGroup::on_rank_message(Place place, const wire::FromRank& message) {
    const auto rank = rank_at(place);
    if (std::holds_alternative<wire::Spawned>(message)) pmi_.on_spawned(rank);
    if (!std::holds_alternative<wire::MpiRuns>(message)) return;
    const auto* state = pmi_.state_of(rank);
    if (state == nullptr || !std::holds_alternative<pmi::Starting>(*state)) return;
    kill_rank(rank, "its MPI (" + mpi_library_of(process(rank).pid) +
                        ") does not speak PMI-1, by which Ductile starts ranks: build the program "
                        "with the MPI that Ductile was built for");
}

void ServedGroup::signal_rank(Place place, int number) {
    const auto pid = ranks_.at(place).pid;
    if (pid != 0) ::kill(number == SIGKILL ? pid : -pid, number);
}

void ServedGroup::kill_rank(core::Rank rank, const std::string& why) {
    auto& mine = process(rank);
    if (mine.pid == 0 || !mine.blame.empty()) return;
    mine.blame = why;
    ::kill(mine.pid, SIGKILL);
}

// MPICH 5.0 needs the kill: its MPI_Abort returns if nobody kills the process.
void ServedGroup::abort_rank(core::Rank rank, int code) {
    process(rank).abort_code = exit_code_of_abort(code);
    kill_rank(rank, "it called MPI_Abort");
}

std::set<pid_t> ServedGroup::children() const {
    std::set<pid_t> pids;
    for (const auto& one : ranks_)
        if (one.pid != 0) pids.insert(one.pid);
    return pids;
}

bool ServedGroup::child_reaped(pid_t pid, int status) {
    const auto found = std::ranges::find(ranks_, pid, &Process::pid);
    if (pid == 0 || found == ranks_.end()) return false;
    const auto place = static_cast<Place>(found - ranks_.begin());
    context_.pmi_port.drain();
    found->pid = 0;  // from here on another process may get this pid
    if (found->pmi) found->pmi->drain();
    close_program(*found);
    pmi_.forget_questions(rank_at(place));
    // The end of the rank is reported before its consequences for others.
    rank_ended(place, end_of(place, status));
    pmi_.on_rank_ended(rank_at(place));
    return true;
}

RankEnd ServedGroup::end_of(Place place, int status) {
    const auto& mine = ranks_.at(place);
    const bool by_signal = WIFSIGNALED(status) && !mine.abort_code;
    const int signal = by_signal ? WTERMSIG(status) : 0;
    const int code = by_signal ? 128 + signal : mine.abort_code.value_or(WEXITSTATUS(status));
    if (mine.has_left) return {};
    if (code == 0 && is_unfinished(place))
        return {1, 0, "it has ended without MPI_Finalize", mine.after_job};
    return {code, signal, mine.blame, mine.after_job};
}

// An end without MPI_Finalize is an error, because other ranks may wait for this rank in MPI
// forever. For ranks with a Job the broker decides.
bool ServedGroup::is_unfinished(Place place) const {
    const auto& rank = life().ranks()[place];
    const bool has_job = rank.has_sent_hello() && !ranks_[place].after_job;
    return speaks(place) && !has_job && !rank.is_dismissed() && !life().is_being_killed();
}

wire::RunEnded ServedGroup::last_word(GroupCause cause) const {
    if (cause != GroupCause::late) return {what_.group, 0, 0, {}};
    return {what_.group, 1, 0, "nobody has started its ranks within 60 s"};
}

}  // namespace ductile::agent
