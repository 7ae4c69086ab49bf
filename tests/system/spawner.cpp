// An ordinary MPI program that starts processes itself. usage: spawner MODE [MORE]
//   spawn N [HOSTS]   N children of this program, with arguments that a launcher might change
//   info N PROGRAM [KEY VALUE]...   N children, which say where they run; "self" is this program
//   multiple          two commands in one MPI_Comm_spawn_multiple
//   several HOST...   a command for each host in one MPI_Comm_spawn_multiple; each child says where
//                     it runs
//   wrong             calls that return an error, and calls with newlines in their words
//   missing           a program that does not exist, then one that exists
//   dies CODE         a child that ends with CODE after MPI_Finalize
//   unfinished        a child that ends with 0 and without MPI_Finalize
//   early             children that end before MPI_Init, then children that do not
//   names             a child publishes a name, the parent looks it up and connects
//   abort CODE        rank 0 calls MPI_Abort while the others wait for it
//   held FOLDER       passes a barrier of PMI, makes FOLDER/RANK, waits for FOLDER/go, passes a
//                     second barrier, and starts two children
//   wait FILE         a child that lives until the file exists
//   window END WHAT [HOST]   a child that never connects, although MPI_Comm_spawn was answered:
//                     "code N" ends with N, "hold FILE" makes the file and sleeps
//   runs [COMMAND]    each rank prints its rank, the size, and the sum of all ranks; the shell runs
//                     the command meanwhile, and the rank prints its exit code
//   after [COMMAND]   the same, but runs the command when MPI is finalised
//   slowly PROGRAM [ARGUMENT]...   runs the program; its PMI messages arrive byte by byte
#include <mpi.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "pass_the_gate.hpp"

namespace {

const char* const odd_arguments[] = {"with a space",     "",   ":",    "=", "a'b\"c",
                                     "two\nlines = 2\n", "\n", nullptr};

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> result;
    for (auto& word : words) result.push_back(word.data());
    result.push_back(nullptr);
    return result;
}

using Info = std::vector<std::pair<std::string, std::string>>;

/// The sum of (rank + 1) of all children, over the intercommunicator; -1 if MPI_Comm_spawn fails.
int spawn(const char* program, std::vector<std::string> words, int ranks,
          const Info& entries = {}) {
    MPI_Info info = MPI_INFO_NULL;
    if (!entries.empty()) MPI_Info_create(&info);
    for (const auto& [key, value] : entries) MPI_Info_set(info, key.c_str(), value.c_str());
    MPI_Comm children = MPI_COMM_NULL;
    const auto argv = pointers(words);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Comm_spawn(program, const_cast<char**>(argv.data()), ranks, info, 0, MPI_COMM_WORLD,
                       &children, MPI_ERRCODES_IGNORE) != MPI_SUCCESS)
        return -1;
    int rank = 0, sum = 0, mine = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
    MPI_Comm_disconnect(&children);
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    return sum;
}

/// As spawn(), with a command of one rank for each host.
int spawn_on_each(const char* program, const std::vector<std::string>& hosts) {
    const auto count = hosts.size();
    std::string where = "where";
    std::string mode = "child";
    char* arguments[] = {mode.data(), where.data(), nullptr};
    std::vector<char*> programs(count, const_cast<char*>(program));
    std::vector<char**> argv(count, arguments);
    std::vector<int> ranks(count, 1), codes(count, 0);
    std::vector<MPI_Info> infos(count, MPI_INFO_NULL);
    for (std::size_t i = 0; i < count; ++i) {
        MPI_Info_create(&infos[i]);
        MPI_Info_set(infos[i], "host", hosts[i].c_str());
    }
    MPI_Comm children = MPI_COMM_NULL;
    if (MPI_Comm_spawn_multiple(static_cast<int>(count), programs.data(), argv.data(), ranks.data(),
                                infos.data(), 0, MPI_COMM_WORLD, &children,
                                codes.data()) != MPI_SUCCESS)
        return -1;
    int sum = 0, mine = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_ROOT, children);
    MPI_Comm_disconnect(&children);
    for (auto& info : infos) MPI_Info_free(&info);
    return sum;
}

int child(const std::vector<std::string>& words) {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine = rank + 1;
    if (words.at(1) == "odd")
        for (int i = 0; odd_arguments[i] != nullptr; ++i)
            if (words.at(static_cast<std::size_t>(i) + 2) != odd_arguments[i]) mine = -1000;
    if (words.at(1) == "app") {
        int* number = nullptr;
        int found = 0;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
        mine = found != 0 ? 100 * *number + rank : -1000;
    }
    if (words.at(1) == "where") {
        char directory[4096] = {};
        const char* const host = std::getenv("DUCTILE_HOST");
        if (::getcwd(directory, sizeof(directory)) == nullptr || host == nullptr) mine = -1000;
        const bool is_right = std::to_string(rank) == std::getenv("PMI_RANK");
        if (!is_right) mine = -1000;
        std::printf("child %d on host %s in %s\n", rank, host, directory);
        std::fflush(stdout);
    }
    MPI_Reduce(&mine, nullptr, 1, MPI_INT, MPI_SUM, 0, parent);
    MPI_Comm_disconnect(&parent);
    if (words.at(1) == "unfinished") ::_exit(0);
    if (words.at(1) == "wait")
        while (::access(words.at(2).c_str(), F_OK) != 0) ::usleep(20'000);
    if (words.at(1) == "publish") {
        char port[MPI_MAX_PORT_NAME];
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("a service", MPI_INFO_NULL, port);
        MPI_Comm meeting = MPI_COMM_NULL;
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &meeting);
        MPI_Unpublish_name("a service", MPI_INFO_NULL, port);
        MPI_Comm_disconnect(&meeting);
        MPI_Close_port(port);
    }
    MPI_Finalize();
    return words.at(1) == "code" ? std::atoi(words.at(2).c_str()) : 0;
}

int end_in_the_window(const std::string& how, const std::string& what) {
    pass_the_gate();
    if (how == "code") return std::atoi(what.c_str());
    if (std::FILE* file = std::fopen(what.c_str(), "w")) std::fclose(file);
    for (;;) ::pause();
}

/// Puts processes between the process manager and this process, which then runs another program.
/// They pass on the bytes of this process slowly. The program finds them at a port of their own.
void speak_slowly() {
    const auto manager = pmi_client::manager();
    if (!manager) ::_exit(8);
    const int port = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto here = *manager;
    here.sin_port = 0;
    socklen_t size = sizeof(here);
    if (::bind(port, reinterpret_cast<sockaddr*>(&here), size) != 0 || ::listen(port, 1) != 0 ||
        ::getsockname(port, reinterpret_cast<sockaddr*>(&here), &size) != 0)
        ::_exit(8);
    const auto pass = [](int from, int to, useconds_t pause) {
        char byte = 0;
        while (::read(from, &byte, 1) == 1 && ::write(to, &byte, 1) == 1)
            if (pause > 0) ::usleep(pause);
        ::_exit(0);
    };
    if (::fork() == 0) {
        const int program = ::accept(port, nullptr, nullptr);
        const int pmi = pmi_client::connect_to(*manager);
        if (::fork() == 0) pass(pmi, program, 0);
        pass(program, pmi, 1000);
    }
    const auto address = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
    ::setenv("PMI_PORT", address.c_str(), 1);
}

/// Passes a PMI barrier, as MPI_Init and MPI_Finalize do. MPI itself speaks no PMI meanwhile.
bool pass_pmi_barrier() {
    const int pmi = pmi_client::socket_of_mpi();
    return pmi_client::write_all(pmi, "cmd=barrier_in\n") &&
           pmi_client::read_line(pmi).starts_with("cmd=barrier_out");
}

/// Prints "runs 1/3 sum 3", and what has become of the command.
void run_shell(const std::string& mode, const std::string& command, bool finalises) {
    int rank = 0, size = 0, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (finalises) MPI_Finalize();
    const int status = command.empty() ? 0 : std::system(command.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::printf("%s %d/%d sum %d%s\n", mode.c_str(), rank, size, sum,
                command.empty() ? "" : (" code " + std::to_string(code)).c_str());
    if (!finalises) MPI_Finalize();
}

int held(const char* program, const std::string& folder, int rank) {
    if (!pass_pmi_barrier()) return -2;
    if (std::FILE* file = std::fopen((folder + "/" + std::to_string(rank)).c_str(), "w"))
        std::fclose(file);
    while (::access((folder + "/go").c_str(), F_OK) != 0) ::usleep(20'000);
    if (!pass_pmi_barrier()) return -3;
    return spawn(program, {"child", "x"}, 2);
}

bool meet_by_name() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    char port[MPI_MAX_PORT_NAME] = {};
    int tries = 0;
    while (MPI_Lookup_name("a service", MPI_INFO_NULL, port) != MPI_SUCCESS && ++tries < 500)
        ::usleep(10'000);
    MPI_Comm meeting = MPI_COMM_NULL;
    if (MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &meeting) != MPI_SUCCESS)
        return false;
    MPI_Comm_disconnect(&meeting);
    return MPI_Lookup_name("another service", MPI_INFO_NULL, port) != MPI_SUCCESS;
}

int multiple(const char* program) {
    std::vector<std::string> words{"child", "app"};
    auto argv = pointers(words);
    char* commands[] = {const_cast<char*>(program), const_cast<char*>(program)};
    char** arguments[] = {argv.data(), argv.data()};
    const int ranks[] = {1, 2};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm children = MPI_COMM_NULL;
    MPI_Comm_spawn_multiple(2, commands, arguments, ranks, infos, 0, MPI_COMM_SELF, &children,
                            MPI_ERRCODES_IGNORE);
    int sum = 0, mine = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_ROOT, children);
    MPI_Comm_disconnect(&children);
    return sum;
}

/// How many of these calls do not do what they should.
int wrong(const char* program) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int bad = 0;
    const auto expect = [&bad](const char* what, bool is_so) {
        if (!is_so) std::printf("not so: %s\n", what);
        bad += is_so ? 0 : 1;
    };
    expect("ambiguous", spawn(program, {"child", "x", "a\nargcnt=3\npreput_num=0"}, 1) == -1);
    expect("too long", spawn(program, {"child", "x", std::string(140'000, 'x')}, 1) == -1);
    char found[MPI_MAX_PORT_NAME] = {};
    const char* const port = "a_port";
    expect("publish nothing", MPI_Publish_name("", MPI_INFO_NULL, port) != MPI_SUCCESS);
    expect("look nothing up", MPI_Lookup_name("", MPI_INFO_NULL, found) != MPI_SUCCESS);
    expect("publish", MPI_Publish_name("two\nlines", MPI_INFO_NULL, port) == MPI_SUCCESS);
    expect("look up", MPI_Lookup_name("two\nlines", MPI_INFO_NULL, found) == MPI_SUCCESS);
    expect("the port", std::string(found) == port);
    expect("unpublish", MPI_Unpublish_name("two\nlines", MPI_INFO_NULL, port) == MPI_SUCCESS);
    expect("spawn", spawn(program, {"child", "x"}, 1, {{"a_key", "two\nlines"}}) == 1);
    return bad;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto& mode = words.at(0);
    if (mode == "child" && words.at(1) == "early") return 7;
    if (mode == "child" && words.at(1) == "window")
        return end_in_the_window(words.at(2), words.at(3));
    if (mode == "slowly") {
        speak_slowly();
        ::execv(argv[2], argv + 2);
        return 8;
    }
    MPI_Init(&argc, &argv);
    if (mode == "child") return child(words);
    if (mode == "runs" || mode == "after") {
        run_shell(mode, words.size() > 1 ? words[1] : "", mode == "after");
        return 0;
    }
    const auto* const self = argv[0];
    int rank = 0, result = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (mode == "spawn") {
        std::vector<std::string> odd{"child", "odd"};
        for (int i = 0; odd_arguments[i] != nullptr; ++i) odd.emplace_back(odd_arguments[i]);
        result = spawn(self, odd, std::atoi(words.at(1).c_str()),
                       words.size() > 2 ? Info{{"hosts", words.at(2)}} : Info{});
    } else if (mode == "info") {
        Info entries;
        for (std::size_t i = 3; i + 1 < words.size(); i += 2)
            entries.emplace_back(words[i], words[i + 1]);
        const auto program = words.at(2) == "self" ? std::string(self) : words.at(2);
        result =
            spawn(program.c_str(), {"child", "where"}, std::atoi(words.at(1).c_str()), entries);
    } else if (mode == "multiple") {
        result = multiple(self);
    } else if (mode == "several") {
        result = spawn_on_each(self, {words.begin() + 1, words.end()});
    } else if (mode == "wrong") {
        result = wrong(self);
    } else if (mode == "missing") {
        result = spawn("/nowhere/nothing", {"child", "x"}, 2) == -1 ? spawn(self, {"child", "x"}, 2)
                                                                    : -2;
    } else if (mode == "early") {
        result = spawn(self, {"child", "early"}, 2) == -1 ? spawn(self, {"child", "x"}, 2) : -2;
    } else if (mode == "dies") {
        result = spawn(self, {"child", "code", words.at(1)}, 1);
        ::sleep(600);
    } else if (mode == "unfinished") {
        result = spawn(self, {"child", "unfinished"}, 1);
        ::sleep(600);
    } else if (mode == "names") {
        spawn(self, {"child", "publish"}, 1);
        result = meet_by_name() ? 1 : 0;
    } else if (mode == "abort") {
        if (rank == 0) MPI_Abort(MPI_COMM_WORLD, std::atoi(words.at(1).c_str()));
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (mode == "held") {
        result = held(self, words.at(1), rank);
    } else if (mode == "wait") {
        result = spawn(self, {"child", "wait", words.at(1)}, 1);
    } else if (mode == "window") {
        result = spawn(self, {"child", "window", words.at(1), words.at(2)}, 1,
                       words.size() > 3 ? Info{{"host", words.at(3)}} : Info{});
    }
    if (rank == 0) std::printf("%s %d\n", mode.c_str(), result);
    MPI_Finalize();
    return 0;
}
