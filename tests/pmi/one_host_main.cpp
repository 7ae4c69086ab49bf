// one_host RANKS HOSTS MODE PROGRAM [RECORD]: runs PROGRAM MODE as a world of RANKS processes under
// a process manager made of src/pmi/ and poll(). The ranks are split over HOSTS parts. With the
// suffix m (such as 2m), the ranks are told that each part is a machine of its own. Writes the PMI
// lines of each world to RECORD.WORLD.txt. Exit code 0 if all ranks ended with 0, 1 if not, 77 if
// it cannot run here.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>

#include "os/fd.hpp"
#include "pmi/line_buffer.hpp"
#include "pmi/one_world.hpp"

extern char** environ;

namespace ductile::pmi {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds limit{60};

struct Process {
    pid_t pid = -1;  // -1: ended
    os::Fd pmi;
    os::Fd news;  // what a rank tells this test
    LineBuffer lines;
};

/// The rank that waits for a spawned world.
struct Parent {
    std::size_t world;
    int rank;
};

/// A world, its processes and its record.
struct RunningWorld {
    OneWorld world;
    std::vector<Process> processes;
    std::optional<Parent> parent;
    std::ofstream record;
};

KvsName random_name() {
    std::random_device device;
    const auto draw = [&] { return std::uint64_t{device()} << 32 | device(); };
    return KvsName(RandomBits{draw(), draw()});
}

std::vector<std::string> environment_of(int rank, int size, const os::Fd& pmi, const os::Fd& news,
                                        bool spawned) {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (!std::string_view(*entry).starts_with("PMI")) entries.emplace_back(*entry);
    entries.push_back("PMI_FD=" + std::to_string(pmi.get()));
    entries.push_back("PMI_RANK=" + std::to_string(rank));
    entries.push_back("PMI_SIZE=" + std::to_string(size));
    entries.push_back("RANKS_NEWS_FD=" + std::to_string(news.get()));
    if (spawned) entries.emplace_back("PMI_SPAWNED=1");
    return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

Process start_process(std::vector<std::string> arguments, int rank, int size, bool spawned) {
    int pmi[2], news[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pmi) != 0 ||
        ::pipe2(news, O_CLOEXEC) != 0)
        std::exit(77);
    const os::Fd theirs(pmi[1]), their_news(news[1]);
    Process process{-1, os::Fd(pmi[0]), os::Fd(news[0]), {}};
    auto environment = environment_of(rank, size, theirs, their_news, spawned);
    const auto argv = pointers(arguments), envp = pointers(environment);
    process.pid = ::fork();
    if (process.pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::fcntl(theirs.get(), F_SETFD, 0);
        ::fcntl(their_news.get(), F_SETFD, 0);
        ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    return process;
}

class Manager {
  public:
    Manager(int hosts, Machines machines, std::string record)
        : hosts_(hosts), machines_(machines), record_(std::move(record)) {}

    void start(const std::vector<std::vector<std::string>>& arguments, OneWorldOptions options,
               std::optional<Parent> parent) {
        options.kvsname = random_name();
        options.hosts = hosts_;
        options.machines = machines_;
        options.gate = parent ? Gate::shut : Gate::open;
        const auto size = static_cast<int>(arguments.size());
        auto& running =
            *worlds_.emplace_back(new RunningWorld{OneWorld(options, names_), {}, parent, {}});
        open_record(running, options);
        for (int rank = 0; rank < size; ++rank)
            running.processes.push_back(start_process(arguments[static_cast<std::size_t>(rank)],
                                                      rank, size, parent.has_value()));
    }

    /// Serves until all ranks have ended. \return 0, 1 if a rank has failed, or 124 at the limit.
    int serve() {
        const auto deadline = Clock::now() + limit;
        while (reap()) {
            if (Clock::now() > deadline) {
                std::fprintf(stderr, "not over after 60 s\n");
                return 124;
            }
            poll_once();
        }
        return code_;
    }

  private:
    void open_record(RunningWorld& running, const OneWorldOptions& options) {
        if (record_.empty()) return;
        running.record.open(record_ + "." + std::to_string(worlds_.size() - 1) + ".txt");
        running.record << "kvsname " << running.world.kvsname().text() << "\nhosts " << hosts_
                       << (machines_ == Machines::one ? "" : "m") << "\ngate "
                       << (options.gate == Gate::shut ? "shut" : "open") << "\n";
        for (const int appnum : options.appnums) running.record << "rank " << appnum << "\n";
        for (const auto& [key, value] : options.keys)
            running.record << "key " << key << " " << value << "\n";
    }

    void poll_once() {
        std::vector<pollfd> fds;
        std::vector<std::pair<std::size_t, int>> whose;
        for (std::size_t w = 0; w < worlds_.size(); ++w)
            for (std::size_t r = 0; r < worlds_[w]->processes.size(); ++r)
                for (const auto* fd :
                     {&worlds_[w]->processes[r].pmi, &worlds_[w]->processes[r].news})
                    if (*fd) {
                        fds.push_back({fd->get(), POLLIN, 0});
                        whose.emplace_back(w, static_cast<int>(r));
                    }
        if (::poll(fds.data(), fds.size(), 10) <= 0) return;
        for (std::size_t i = 0; i < fds.size(); ++i)
            if (fds[i].revents != 0) read_from(whose[i].first, whose[i].second, fds[i].fd);
    }

    void read_from(std::size_t w, int rank, int fd) {
        auto& running = *worlds_[w];
        auto& process = running.processes[static_cast<std::size_t>(rank)];
        char bytes[65536];
        const auto count = ::read(fd, bytes, sizeof bytes);
        auto& end = fd == process.pmi.get() ? process.pmi : process.news;
        if (count <= 0) return end.reset();
        if (fd == process.news.get()) {
            running.record << "! leaves " << rank << "\n";
            running.world.leaves(rank);
            return carry(w);
        }
        for (const auto& line : process.lines.add({bytes, static_cast<std::size_t>(count)})) {
            running.record << rank << "> " << line << "\n";
            running.world.line(rank, line);
            carry(w);
        }
    }

    void carry(std::size_t w) {
        auto& running = *worlds_[w];
        for (const auto& [rank, line] : running.world.take_lines()) {
            running.record << rank.value << "< " << line << "\n";
            const auto text = line + "\n";
            const auto& process = running.processes[static_cast<std::size_t>(rank.value)];
            if (process.pmi) ::send(process.pmi.get(), text.data(), text.size(), MSG_NOSIGNAL);
        }
        for (const auto& effect : running.world.take_effects())
            std::visit([&](const auto& one) { on(w, one); }, effect);
        for (const auto& effect : running.world.take_gate()) {
            if (std::holds_alternative<GateReady>(effect)) open_gate(w);
            if (std::holds_alternative<GateFailed>(effect)) fail_spawn(w);
        }
    }

    void open_gate(std::size_t w) {
        auto& running = *worlds_[w];
        running.record << "! release_gate\n";
        running.world.release_gate();
        carry(w);
        answer_parent(*running.parent, answer::SpawnResult::started);
    }
    void fail_spawn(std::size_t w) {
        expected_failure_ = true;
        for (const auto& process : worlds_[w]->processes)
            if (process.pid > 0) ::kill(process.pid, SIGKILL);
        answer_parent(*worlds_[w]->parent, answer::SpawnResult::failed);
    }
    void answer_parent(Parent parent, answer::SpawnResult result) {
        auto& running = *worlds_[parent.world];
        running.record << "! spawn_answer " << parent.rank
                       << (result == answer::SpawnResult::started ? " started" : " failed") << "\n";
        running.world.spawn_answer(parent.rank, result);
        carry(parent.world);
    }

    void on(std::size_t w, const SpawnAsked& asked) {
        OneWorldOptions options;
        options.keys = asked.request.keys;
        std::vector<std::vector<std::string>> arguments;
        int appnum = 0;
        for (const auto& command : asked.request.commands) {
            std::vector<std::string> words{command.program};
            words.insert(words.end(), command.arguments.begin(), command.arguments.end());
            arguments.insert(arguments.end(), static_cast<std::size_t>(command.ranks), words);
            options.appnums.insert(options.appnums.end(), static_cast<std::size_t>(command.ranks),
                                   appnum++);
        }
        start(arguments, std::move(options), Parent{w, asked.rank.value});
    }
    void on(std::size_t w, const Misbehaved& rank) {
        std::fprintf(stderr, "rank %d %s\n", rank.rank.value, rank.why.c_str());
        ::kill(worlds_[w]->processes[static_cast<std::size_t>(rank.rank.value)].pid, SIGKILL);
    }
    void on(std::size_t /*w*/, const Aborted& rank) {
        std::fprintf(stderr, "rank %d aborts with %d\n", rank.rank.value, rank.code);
    }
    template <class Other>
    void on(std::size_t /*w*/, const Other& /*effect*/) {}

    /// \return whether a rank still runs.
    bool reap() {
        bool runs = false;
        for (std::size_t w = 0; w < worlds_.size(); ++w)
            for (std::size_t r = 0; r < worlds_[w]->processes.size(); ++r) {
                auto& process = worlds_[w]->processes[r];
                int status = 0;
                // Its last lines are read before it is reaped.
                if (process.pid > 0 && !process.pmi && !process.news &&
                    ::waitpid(process.pid, &status, WNOHANG) == process.pid)
                    ended(w, static_cast<int>(r), status);
                runs = runs || worlds_[w]->processes[r].pid > 0;
            }
        return runs;
    }
    void ended(std::size_t w, int rank, int status) {
        auto& running = *worlds_[w];
        running.processes[static_cast<std::size_t>(rank)].pid = -1;
        running.record << "! ended " << rank << "\n";
        running.world.ended(rank);
        carry(w);
        const bool failed = status != 0 && !(running.parent && expected_failure_);
        if (failed) std::fprintf(stderr, "rank %d of world %zu: status %d\n", rank, w, status);
        code_ = failed ? 1 : code_;
    }

    int hosts_;
    Machines machines_;
    std::string record_;
    NameTable names_;
    std::vector<std::unique_ptr<RunningWorld>> worlds_;
    bool expected_failure_ = false;
    int code_ = 0;
};

}  // namespace
}  // namespace ductile::pmi

int main(int argc, char** argv) {
    using namespace ductile::pmi;
    if (argc < 5) return 2;
    const int ranks = std::atoi(argv[1]), hosts = std::atoi(argv[2]);
    if (ranks < 1 || hosts < 1) return 2;
    if (::access(argv[4], X_OK) != 0) {
        std::fprintf(stderr, "there is no program %s\n", argv[4]);
        return 77;
    }
    const bool own = std::string_view(argv[2]).ends_with('m');
    Manager manager(hosts, own ? Machines::one_a_host : Machines::one, argc > 5 ? argv[5] : "");
    OneWorldOptions options;
    options.appnums.assign(static_cast<std::size_t>(ranks), 0);
    const std::vector<std::string> words{argv[4], argv[3]};
    manager.start({static_cast<std::size_t>(ranks), words}, std::move(options), std::nullopt);
    return manager.serve();
}
