// What the agent's tests run as ranks. The arguments are small acts. No MPI runs.
//   hello: sends RankHello and waits for the welcome; goodbye: sends Goodbye; say TEXT N: prints N
//   lines; part TEXT: prints a line without its end; err TEXT: prints to stderr; copy: copies stdin
//   to stdout; sleep MS; exit CODE; kill SIGNAL: sends the signal to itself; catch SIGNAL: waits
//   for the signal and prints a line; orphan: leaves a child in a session of its own; bare-orphan:
//   the same with an empty environment; await-lost: waits for BrokerLost; park: sends Parked and
//   waits for ExitPermitted; take-input: waits for TakeInput and makes its descriptor stdin; if
//   RANK ACTS fi: only this rank does these acts; spawned GROUP: reports that MPI_Comm_spawn has
//   returned; pmi LINES: sends the lines by PMI-1 and prints the answer; tell-pmi LINES: does not
//   wait for an answer; shell COMMAND: runs the command, and prints its code; mpi-runs: sends
//   MpiRuns; hide: overwrites its environment, as programs do that set their title.
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "pmi_client.hpp"
#include "wire/local_messages.hpp"
#include "wire/local_socket.hpp"
#include "wire/to_rank_messages.hpp"

namespace {

using namespace ductile::wire;

volatile std::sig_atomic_t caught = 0;

/// The rank of this process, from the variable that the agent or the launcher has set.
const char* own_rank() {
    const char* by_agent = std::getenv("PMI_RANK");
    return by_agent != nullptr ? by_agent : std::getenv("PMIX_RANK");
}

LocalSocket say_hello() {
    auto socket = LocalSocket::connect(std::getenv("DUCTILE_SOCKET"), std::chrono::seconds(5));
    const GroupId group{std::atoi(std::getenv("DUCTILE_GROUP"))};
    const Rank rank{std::atoi(own_rank())};
    socket.send(to_frame(FromRank{RankHello{group, rank, ::getpid()}}));
    const auto answer = socket.receive(std::chrono::seconds(5));
    if (!answer || !std::holds_alternative<RankWelcome>(decode<ToRank>(*answer))) std::exit(90);
    return socket;
}

// Leaves a child that outlives this process, in a session of its own, as daemons do.
void leave_orphan(bool bare) {
    if (::fork() != 0) return;
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    char* const argv[] = {const_cast<char*>("/bin/sleep"), const_cast<char*>("1000"), nullptr};
    char* const nothing[] = {nullptr};
    for (int fd = 0; fd < 64; ++fd) ::close(fd);
    if (bare) ::execve(argv[0], argv, nothing);
    ::execv(argv[0], argv);
    ::_exit(1);
}

void hide_environment() {
    for (char** entry = ::environ; *entry != nullptr; ++entry)
        std::fill_n(*entry, std::strlen(*entry), 'x');
}

/// Sends a line, or several, by PMI-1. Returns the connection.
int tell_pmi(const std::string& lines) {
    static const int pmi = pmi_client::connect();
    if (!pmi_client::write_all(pmi, lines + "\n")) std::exit(92);
    return pmi;
}

void copy_input() {
    char buffer[65536];
    for (ssize_t n = 0; (n = ::read(0, buffer, sizeof(buffer))) > 0;)
        if (::write(1, buffer, static_cast<std::size_t>(n)) != n) std::exit(91);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> acts(argv + 1, argv + argc);
    LocalSocket socket;
    for (std::size_t i = 0; i < acts.size(); ++i) {
        const auto& act = acts[i];
        const auto next = [&] { return acts.at(++i); };
        if (act == "hello") socket = say_hello();
        if (act == "goodbye") socket.send(to_frame(FromRank{Goodbye{}}));
        if (act == "say") {
            const auto text = next();
            const int times = std::stoi(next());
            for (int k = 0; k < times; ++k) std::printf("%s %d\n", text.c_str(), k);
            std::fflush(stdout);
        }
        if (act == "part") std::printf("%s", next().c_str()), std::fflush(stdout);
        if (act == "err") std::fprintf(stderr, "%s\n", next().c_str());
        if (act == "copy") copy_input();
        if (act == "sleep")
            std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(next())));
        if (act == "exit") std::_Exit(std::stoi(next()));
        if (act == "kill") ::kill(::getpid(), std::stoi(next()));
        if (act == "orphan") leave_orphan(false);
        if (act == "bare-orphan") leave_orphan(true);
        if (act == "hide") hide_environment();
        if (act == "catch") {
            std::signal(std::stoi(next()), [](int number) { caught = number; });
            std::printf("ready\n"), std::fflush(stdout);
            while (caught == 0) ::usleep(1000);
            std::printf("caught %d\n", static_cast<int>(caught)), std::fflush(stdout);
        }
        if (act == "if" && next() != own_rank())
            while (acts.at(i) != "fi") ++i;
        if (act == "park") {
            socket.send(to_frame(FromRank{Parked{true}}));
            const auto message = socket.receive(std::chrono::seconds(20));
            const bool may =
                message && std::holds_alternative<ExitPermitted>(decode<ToRank>(*message));
            std::printf(may ? "may end\n" : "something else\n"), std::fflush(stdout);
        }
        if (act == "take-input") {
            std::vector<Fd> fds;
            const auto message = socket.receive(std::chrono::seconds(20), &fds);
            const bool take =
                message && std::holds_alternative<TakeInput>(decode<ToRank>(*message));
            std::printf(take && fds.size() == 1 ? "input\n" : "something else\n");
            std::fflush(stdout);
            if (!fds.empty()) ::dup2(fds.front().get(), 0);
        }
        if (act == "spawned") {
            Spawned said;
            said.group = GroupId{std::stoi(next())};
            said.ok = true;
            socket.send(to_frame(FromRank{said}));
        }
        if (act == "pmi") {
            std::printf("%s\n", pmi_client::read_line(tell_pmi(next())).c_str());
            std::fflush(stdout);
        }
        if (act == "shell") std::printf("code %d\n", std::system(next().c_str()) >> 8);
        if (act == "tell-pmi") tell_pmi(next());
        if (act == "mpi-runs") socket.send(to_frame(FromRank{MpiRuns{}}));
        if (act == "await-lost") {
            const auto message = socket.receive(std::chrono::seconds(20));
            const bool lost =
                message && std::holds_alternative<BrokerLost>(decode<ToRank>(*message));
            std::printf(lost ? "broker lost\n" : "something else\n"), std::fflush(stdout);
        }
    }
    return 0;
}
