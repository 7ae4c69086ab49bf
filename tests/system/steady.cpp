// A malleable program that checks its own data. Element i of an array is i plus the number of steps
// done. In each step each rank checks its part.
// clang-format off
// usage: steady STEPS MICROSECONDS_A_STEP. The environment tells it what to do wrong. A newcomer is a process that a resize adds:
//   STEADY_CHILD=PROGRAM, STEADY_CHILD_UNTIL=FILE   rank 0 starts a child (spawner.cpp) that lives until the file exists
//   STEADY_DIE_AT=gate                     a newcomer that MPI_Comm_spawn has started ends at the gate (pass_the_gate.hpp)
//   STEADY_DIE_AT=create|merge|dup|bcast|redistribute|create_group|meet|alltoallw|window|get|unlock   a newcomer kills itself
//                                        when it enters this MPI call of its join
//   STEADY_HANG_AT=...                     a newcomer stops there for good, and stays alive
//   STEADY_HOLD_AT=barriers                 a newcomer stops for good when it has passed the first barrier of MPI_Init
//   STEADY_HOLD_AT=gate|answered           a newcomer stops before it asks for its parents' port, or when it has the answer
//   STEADY_DIE_US=N                        a newcomer is killed N microseconds after it has entered its join
//   STEADY_DIE_FROM_CONNECT=1              STEADY_DIE_US counts from the newcomer's first MPI_Comm_connect instead
//   STEADY_RESET_AT=...                    an old rank enters this MPI call of its first join; its next message finds that the connection was reset
//   STEADY_RESET_AT=accept                 the same for the first message of the program's leader after it has entered MPI_Comm_accept
//   STEADY_RESET_NEWCOMERS=1               STEADY_RESET_AT applies to newcomers instead of old ranks
//   STEADY_FIRST_NEWCOMER=N, STEADY_LAST_NEWCOMER=N   the first and the last group that the settings for newcomers apply to (1, no limit)
//   STEADY_NEWCOMER_RANK=N                 the settings for newcomers apply only to rank N of each MPI_COMM_WORLD
//   STEADY_LATE_US=N                       a newcomer waits N microseconds before it makes its Job
//   STEADY_LATE_UNTIL=FILE                 a newcomer waits until FILE exists before it makes its Job
//   STEADY_SETS_UP_US=N                    a newcomer calls MPI_Init_thread itself, and then waits N microseconds before it makes its Job
//   STEADY_LATE_HELLO_US=N                 the newcomers' leader waits N microseconds before it says hello to the ranks that started it
//   STEADY_LATE_PORT_US=N                  an old rank waits N microseconds before it opens its first port
//   STEADY_LATE_ACCEPT_US=N                an old rank waits N microseconds before it accepts the newcomers' leader
//   STEADY_MOVE_UNTIL=FILE                 at each resize each rank prints a line for its own move, which moves nothing; on rank 0 it lasts until FILE exists
//   STEADY_DIE_STEP=N                      rank 0 kills itself at step N
//   STEADY_LEAVE_CODE=N, STEADY_LEAVE_HANG=1   what a rank does after `leave`
//   STEADY_READ=1                          rank 0 prints each line of standard input before the first step
//   STEADY_READ_AT_LEAVE=1                 when another process has become rank 0, it prints the lines of standard input
//   STEADY_AFTER_US=N                      a handler of atexit() sleeps N * (1 + rank in MPI_COMM_WORLD) microseconds, then prints a line
//   STEADY_TELL_FINALIZE=1                 each rank prints a line when MPI_Finalize has returned
//   STEADY_UNREAD=1                        each rank sends its neighbour a message now and then that nobody reads
//   STEADY_GROUPS=1                        it has process groups, makes them again after each resize, and checks them in each step
//   STEADY_ITEMS=N                         how many elements its array has (100003)
//   STEADY_RULE=cyclic|weights|slots|hosts|ranges|columns|grid   the distribution rule of its array (blocks); STEADY_ITEMS must be a multiple of 7
//   STEADY_BAD_RULE=none|throws            at 3 ranks the rule `ranges` leaves elements out, or throws
//   STEADY_ODD_RANK=N                      at the start of the job rank N registers a value that the other ranks do not register
//   STEADY_UNCLAIMED=1                     a newcomer calls resize_point() before it has registered its array
//   STEADY_SPOIL=1                         a byte of the first large message that a newcomer receives changes on its way
//   STEADY_FROZEN=1|written              it has a second array, which is frozen: element i is 7 i, and each rank checks its part in
//                                        each step. With `written`, rank 0 writes to it in each step, and no rank checks it
//   STEADY_UNTIL=FILE                      ends when FILE exists, if that is before STEPS; steps of 10 s and more are cut short then
//   STEADY_TELL_START=1                    each process prints a line when it starts
//   STEADY_TELL_SIGNAL=1                   each process prints a line when it gets SIGUSR1
// clang-format on
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ductile/ductile.hpp>
#include <iostream>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "pass_the_gate.hpp"

namespace {

bool newcomer = false;
bool joining = false;
std::atomic<int> live = 0;  // communicators of this process

long number(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? -1 : std::atol(value);
}

// Delays an old rank; newcomers are not delayed.
void be_late(const char* name) {
    if (const long late_us = number(name); !newcomer && late_us > 0)
        std::this_thread::sleep_for(std::chrono::microseconds(late_us));
}

void maybe_die_soon() {
    const long after_us = number("STEADY_DIE_US");
    if (!newcomer || after_us < 0) return;
    sigevent how{};
    how.sigev_notify = SIGEV_SIGNAL;
    how.sigev_signo = SIGKILL;
    timer_t timer = nullptr;
    const itimerspec when{{0, 0}, {after_us / 1000000, after_us % 1000000 * 1000 + 1}};
    if (::timer_create(CLOCK_MONOTONIC, &how, &timer) != 0 ||
        ::timer_settime(timer, 0, &when, nullptr) != 0)
        std::abort();
}

char* spoilt = nullptr;

void receives(void* data, int bytes) {
    if (newcomer && bytes > 10000 && spoilt == nullptr) spoilt = static_cast<char*>(data);
}

void spoil() {
    static std::atomic<bool> done = false;
    if (spoilt != nullptr && std::getenv("STEADY_SPOIL") != nullptr && !done.exchange(true))
        *spoilt ^= 1;
}

bool awaits_port = false;
thread_local bool joining_here = false;
thread_local bool resets_next_send = false;

// Whether this send is to fail because the connection was reset. A handshake of the provider (48
// bytes) must not fail: the provider would make the connection again.
bool is_reset(int socket, std::size_t n) {
    static std::atomic<bool> done = false;
    if (!resets_next_send || n <= 64 || done.exchange(true)) return false;
    ::shutdown(socket, SHUT_RDWR);
    errno = ECONNRESET;
    return true;
}

std::string signalled;

void tell_signals() {
    signalled = "signalled g" + std::to_string(number("DUCTILE_GROUP")) + "." +
                std::getenv("PMI_RANK") + "\n";
    struct sigaction tells {};
    tells.sa_flags = SA_RESTART;
    tells.sa_handler = [](int) {
        [[maybe_unused]] const auto n = ::write(STDERR_FILENO, signalled.data(), signalled.size());
    };
    ::sigaction(SIGUSR1, &tells, nullptr);
}

[[noreturn]] void stop_for_good() {
    for (;;) ::pause();
}

void maybe_die(const char* where) {
    if (const char* at = std::getenv("STEADY_RESET_AT");
        newcomer == (std::getenv("STEADY_RESET_NEWCOMERS") != nullptr) && joining_here &&
        at != nullptr && std::strcmp(at, where) == 0)
        resets_next_send = true;
    if (!newcomer || !joining) return;
    if (const char* at = std::getenv("STEADY_DIE_AT"); at != nullptr && std::strcmp(at, where) == 0)
        ::raise(SIGKILL);
    if (const char* at = std::getenv("STEADY_HANG_AT");
        at != nullptr && std::strcmp(at, where) == 0) {
        std::fprintf(stderr, "hangs at the %s\n", where);
        stop_for_good();
    }
}

// Whether a newcomer stops `where` now: when this `word` is in what it and its process manager say
// to each other by PMI-1.
bool holds_at(int file, std::string_view said, const char* where, std::string_view word) {
    static const char* const at = std::getenv("STEADY_HOLD_AT");
    return newcomer && at != nullptr && std::strcmp(at, where) == 0 &&
           said.find(word) != std::string_view::npos && pmi_client::is_connected_to_manager(file);
}

[[noreturn]] void hold() {
    std::fprintf(stderr, "held at the %s\n", std::getenv("STEADY_HOLD_AT"));
    stop_for_good();
}

long wrong_elements(const ductile::Distributed<long>& a, long step) {
    long wrong = 0;
    std::int64_t i = 0;
    for (const auto& range : a.ranges())
        for (auto value = range.begin * 3; value < range.end * 3; ++value)
            if (a[i++] != value + step) ++wrong;
    return wrong + std::labs(a.count() * 3 - i);
}

// The last rank has the first elements, rank 0 the last ones.
std::vector<ductile::Range> backwards(std::int64_t items, int ranks, int rank) {
    if (const char* bad = std::getenv("STEADY_BAD_RULE"); bad != nullptr && ranks == 3) {
        if (std::strcmp(bad, "throws") == 0) throw std::runtime_error("3 ranks are bad luck");
        if (std::strcmp(bad, "none") == 0 && rank == 1) return {};
    }
    return {
        {items / ranks * (ranks - 1 - rank), rank == 0 ? items : items / ranks * (ranks - rank)}};
}

// Read before MPI and the Job begin. Null under a launcher of its own.
const char* const own_local_rank =
    std::getenv("DUCTILE_SOCKET") == nullptr ? nullptr : std::getenv("MPI_LOCALRANKID");

// Whether two ranks of a host have one local rank, or this rank has another one than it was told.
long wrong_local_ranks(const ductile::Job& job) {
    if (own_local_rank == nullptr || job.id().empty()) return 0;
    const auto hosts = job.hosts();
    std::set<std::pair<int, int>> seen;
    const bool differ = std::ranges::all_of(hosts, [&seen](const ductile::RankHost& one) {
        return seen.insert({one.host, one.local_rank}).second;
    });
    const auto& mine = hosts.at(static_cast<std::size_t>(job.rank()));
    return differ && mine.local_rank == std::atoi(own_local_rank) ? 0 : 1;
}

// Throws unless each host has two slots and one or two ranks.
std::vector<std::int64_t> weights_of_hosts(const std::vector<ductile::RankHost>& ranks) {
    std::vector<std::int64_t> weights;
    for (const auto& one : ranks) {
        if (one.slots != 2 || one.ranks < 1 || one.ranks > 2)
            throw std::runtime_error("host " + std::to_string(one.host) + " has " +
                                     std::to_string(one.slots) + " slots for " +
                                     std::to_string(one.ranks) + " ranks");
        weights.push_back(1 + one.host % 3);
    }
    return weights;
}

ductile::Distribution rule_of(std::int64_t items) {
    const char* const named = std::getenv("STEADY_RULE");
    const std::string rule = named == nullptr ? "blocks" : named;
    if (rule == "cyclic") return ductile::Distribution::cyclic(5);
    if (rule == "columns") return ductile::Distribution::along({7, items / 7}, 1);
    if (rule == "grid") return ductile::Distribution::grid({items / 7, 7});
    if (rule == "ranges")
        return ductile::Distribution::by_ranges(
            [items](int ranks, int rank) { return backwards(items, ranks, rank); });
    if (rule == "slots") return ductile::Distribution::by_slots();
    if (rule == "hosts") return ductile::Distribution::by_hosts(weights_of_hosts);
    if (rule == "weights")
        return ductile::Distribution::by_weights([](int ranks) {
            std::vector<std::int64_t> weights;
            for (int rank = 0; rank < ranks; ++rank) weights.push_back(rank % 3);
            weights.front() = 1;
            return weights;
        });
    return {};
}

}  // namespace

// The libraries' calls pass through here: the executable's symbols come first.
extern "C" {
ssize_t write(int file, const void* data, std::size_t n) {
    static const auto next = reinterpret_cast<decltype(&write)>(::dlsym(RTLD_NEXT, "write"));
    const std::string_view said(static_cast<const char*>(data), n);
    if (holds_at(file, said, "gate", "PARENT_ROOT_PORT_NAME")) hold();
    if (holds_at(file, said, "answered", "PARENT_ROOT_PORT_NAME")) awaits_port = true;
    return next(file, data, n);
}
ssize_t read(int file, void* data, std::size_t n) {
    static const auto next = reinterpret_cast<decltype(&read)>(::dlsym(RTLD_NEXT, "read"));
    const auto got = next(file, data, n);
    if (got <= 0) return got;
    const std::string_view said(static_cast<const char*>(data), static_cast<std::size_t>(got));
    if (holds_at(file, said, "barriers", "barrier_out")) hold();
    if (awaits_port && holds_at(file, said, "answered", "get_result")) hold();
    return got;
}
ssize_t send(int socket, const void* data, std::size_t n, int flags) {
    static const auto next = reinterpret_cast<decltype(&send)>(::dlsym(RTLD_NEXT, "send"));
    return is_reset(socket, n) ? -1 : next(socket, data, n, flags);
}
ssize_t sendmsg(int socket, const msghdr* message, int flags) {
    static const auto next = reinterpret_cast<decltype(&sendmsg)>(::dlsym(RTLD_NEXT, "sendmsg"));
    return is_reset(socket, 65) ? -1 : next(socket, message, flags);
}
int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag,
                         MPI_Comm* made) {
    joining = true;  // before this, groups are formed
    joining_here = true;
    maybe_die("create");
    if (std::getenv("STEADY_DIE_FROM_CONNECT") == nullptr) maybe_die_soon();
    ++live;
    return PMPI_Intercomm_create(local, leader, peer, remote, tag, made);
}
int MPI_Intercomm_merge(MPI_Comm between, int high, MPI_Comm* made) {
    maybe_die("merge");
    ++live;
    return PMPI_Intercomm_merge(between, high, made);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
    maybe_die("dup");
    ++live;
    return PMPI_Comm_dup(comm, made);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
    ++live;
    return PMPI_Comm_split(comm, color, key, made);
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    maybe_die("create_group");
    ++live;
    return PMPI_Comm_create_group(comm, group, tag, made);
}
int MPI_Open_port(MPI_Info info, char* port) {
    static std::once_flag first;
    std::call_once(first, be_late, "STEADY_LATE_PORT_US");
    return PMPI_Open_port(info, port);
}
int MPI_Comm_accept(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made) {
    const char* at = std::getenv("STEADY_RESET_AT");
    if (!newcomer && at != nullptr && std::strcmp(at, "accept") == 0) resets_next_send = true;
    be_late("STEADY_LATE_ACCEPT_US");
    ++live;
    return PMPI_Comm_accept(port, info, root, comm, made);
}
int MPI_Comm_connect(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made) {
    if (std::getenv("STEADY_DIE_FROM_CONNECT") != nullptr) maybe_die_soon();
    ++live;
    return PMPI_Comm_connect(port, info, root, comm, made);
}
int MPI_Send(const void* data, int n, MPI_Datatype type, int target, int tag, MPI_Comm comm) {
    constexpr int hello_tag = 0x0d01;  // src/engine/bridge.cpp
    if (const long late_us = number("STEADY_LATE_HELLO_US");
        tag == hello_tag && newcomer && late_us > 0)
        std::this_thread::sleep_for(std::chrono::microseconds(late_us));
    return PMPI_Send(data, n, type, target, tag, comm);
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
    receives(data, n);
    constexpr int here_tag = 0x0d10;  // src/data/all_here.cpp
    if (tag == here_tag) maybe_die("meet");
    return PMPI_Irecv(data, n, type, source, tag, comm, request);
}
int MPI_Testany(int n, MPI_Request* requests, int* which, int* done, MPI_Status* status) {
    maybe_die("redistribute");
    const int result = PMPI_Testany(n, requests, which, done, status);
    // The last message has arrived.
    if (*done != 0 && std::count(requests, requests + n, MPI_REQUEST_NULL) == n) spoil();
    return result;
}
int MPI_Ialltoallw(const void* sent, const int sent_counts[], const int sent_at[],
                   const MPI_Datatype sent_types[], void* got, const int counts[], const int at[],
                   const MPI_Datatype types[], MPI_Comm comm, MPI_Request* request) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; ++i)
        if (types[i] == MPI_BYTE) receives(static_cast<char*>(got) + at[i], counts[i]);
    maybe_die("alltoallw");
    return PMPI_Ialltoallw(sent, sent_counts, sent_at, sent_types, got, counts, at, types, comm,
                           request);
}
int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* window) {
    maybe_die("window");
    return PMPI_Win_create(base, size, unit, info, comm, window);
}
int MPI_Rget(void* to, int n, MPI_Datatype type, int target, MPI_Aint at, int target_n,
             MPI_Datatype target_type, MPI_Win window, MPI_Request* request) {
    if (type == MPI_BYTE) receives(to, n);
    maybe_die("get");
    return PMPI_Rget(to, n, type, target, at, target_n, target_type, window, request);
}
int MPI_Win_unlock(int rank, MPI_Win window) {
    maybe_die("unlock");
    return PMPI_Win_unlock(rank, window);
}
int MPI_Win_unlock_all(MPI_Win window) {
    maybe_die("unlock");
    return PMPI_Win_unlock_all(window);
}
int MPI_Comm_free(MPI_Comm* comm) {
    --live;
    return PMPI_Comm_free(comm);
}
int MPI_Bcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm comm) {
    maybe_die("bcast");
    return PMPI_Bcast(data, n, type, root, comm);
}
int MPI_Finalize() {
    const int result = PMPI_Finalize();
    if (std::getenv("STEADY_TELL_FINALIZE") != nullptr) {
        std::printf("finalised g%s.%s\n", std::getenv("DUCTILE_GROUP"), std::getenv("PMI_RANK"));
        std::fflush(stdout);
    }
    return result;
}
}

namespace {

/// A group of all ranks by shrink-and-hash, one of some ranks by shrink-and-balance, and groups by
/// colour of the other ranks. The process id decides which groups a rank is in. So this does not
/// change at a resize.
class Groups {
  public:
    explicit Groups(ductile::Job& job)
        : job_(job),
          all_(job, true, {ductile::GroupAlgorithm::shrink_and_hash}),
          some_(all_.split(chosen(), {ductile::GroupAlgorithm::shrink_and_balance})),
          coloured_(job, ductile::GroupColour{chosen() ? MPI_UNDEFINED : ::getpid() % 5}),
          by_host_(job, true, by_host()) {}

    void renew() {
        all_.renew();
        some_.renew();
        coloured_.renew();
        by_host_.renew();
    }
    [[nodiscard]] long wrong() const {
        const int in = some_.member() ? 1 : 0;
        int in_all = 0;
        MPI_Allreduce(&in, &in_all, 1, MPI_INT, MPI_SUM, job_.comm());
        long bad = all_.size() == job_.size() && some_.member() != coloured_.member() ? 0 : 1;
        if (some_.member() && some_.size() != in_all) ++bad;
        for (const auto* group : {&all_, &some_, &coloured_, &by_host_}) {
            if (!group->member()) continue;
            const int one = 1;
            int sum = 0;
            group->allreduce(&one, &sum, 1, MPI_INT, MPI_SUM);
            if (sum != group->size()) ++bad;
        }
        return bad;
    }

    /// Starts an operation that may be under way at a resize point. The resize point completes it.
    void start() {
        std::ranges::fill(sent_, all_.rank() == 0 ? 42.0 : 0.0);
        request_ = all_.start_broadcast(sent_.data(), std::ssize(sent_), MPI_DOUBLE);
    }
    bool came() {
        request_.wait();
        return std::ranges::count(sent_, 42.0) == std::ssize(sent_);
    }

  private:
    static ductile::GroupOptions by_host() {
        ductile::GroupOptions options;
        options.by_host = true;
        return options;
    }
    static bool chosen() { return ::getpid() % 3 != 0; }

    ductile::Job& job_;
    ductile::ProcessGroup all_, some_, coloured_, by_host_;
    std::vector<double> sent_ = std::vector<double>(100000);
    ductile::GroupRequest request_;
};

/// A frozen array. With STEADY_FROZEN=written the program writes to it nevertheless.
class Frozen {
  public:
    Frozen(ductile::Job& job, std::int64_t elements, const ductile::Distribution& rule)
        : job_(job),
          writes_(std::string_view(std::getenv("STEADY_FROZEN")) == "written"),
          k_(job.distribute<long>("k", elements, rule, 4)) {
        if (job.fresh())
            for (std::int64_t i = 0; i < k_.count() * 4; ++i) k_[i] = value(i);
        k_.freeze();
    }
    long wrong() {
        if (writes_ && job_.rank() == 0) ++k_[0];
        long bad = 0;
        for (std::int64_t i = 0; i < k_.count() * 4; ++i) bad += k_[i] == value(i) ? 0 : 1;
        return writes_ ? 0 : bad;
    }

  private:
    [[nodiscard]] long value(std::int64_t i) const { return 7 * (k_.to_global(i / 4) * 4 + i % 4); }
    ductile::Job& job_;
    bool writes_;
    ductile::Distributed<long> k_;
};

// Prints the lines of standard input that are there, on a process that has become rank 0. Does not
// wait.
void read_as_rank_0() {
    static std::string text;
    static bool ended = false;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (!ended && ::poll(&input, 1, 0) == 1) {
        char buffer[256];
        const auto n = ::read(STDIN_FILENO, buffer, sizeof(buffer));
        ended = n <= 0;
        if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
        for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos;
             text.erase(0, end + 1))
            std::cout << "read " << text.substr(0, end) << std::endl;
        if (ended) std::cout << "read the end" << std::endl;
    }
}

// The message is so small that MPI_Send returns although no rank receives it.
void send_what_nobody_reads(const ductile::Job& job) {
    constexpr int unread_tag = 4711;
    if (job.size() == 1) return;  // a message to itself would be waited for
    const char bytes[1500] = {};
    MPI_Send(bytes, sizeof(bytes), MPI_BYTE, (job.rank() + 1) % job.size(), unread_tag, job.comm());
}

// Rank 0 starts a child that lives until the file exists.
void spawn_child(const ductile::Job& job, const char* program) {
    if (job.rank() != 0) return;
    std::string words[] = {"child", "wait", std::getenv("STEADY_CHILD_UNTIL")};
    char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    MPI_Comm child = MPI_COMM_NULL;
    MPI_Comm_spawn(program, argv, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
    int sum = 0, mine = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_ROOT, child);
    MPI_Comm_disconnect(&child);
}

// Sleeps for a step: once, unless the step is so long that nobody should wait for its end.
void rest(useconds_t us, const char* until) {
    constexpr useconds_t slice = 50000;
    if (us < 10000000 || until == nullptr) {
        ::usleep(us);
        return;
    }
    for (useconds_t slept = 0; slept < us && ::access(until, F_OK) != 0; slept += slice)
        ::usleep(slice);
}

ductile::Schema slow_to_move() {
    ductile::Schema schema;
    if (const char* until = std::getenv("STEADY_MOVE_UNTIL"); until != nullptr)
        schema.on_redistribute([until](const ductile::DataMove& move) {
            std::fprintf(stderr, "data move\n");
            while (move.rank == 0 && ::access(until, F_OK) != 0) ::usleep(10000);
        });
    return schema;
}

int run(int argc, char** argv) {
    const long group = number("DUCTILE_GROUP");
    const long first = number("STEADY_FIRST_NEWCOMER"), last = number("STEADY_LAST_NEWCOMER");
    const long only = number("STEADY_NEWCOMER_RANK");
    newcomer = group >= (first >= 0 ? first : 1) && (last < 0 || group <= last) &&
               (only < 0 || only == number("PMI_RANK"));
    if (std::getenv("STEADY_TELL_START") != nullptr)
        std::fprintf(stderr, "started g%ld.%ld\n", group, number("PMI_RANK"));
    if (std::getenv("STEADY_TELL_SIGNAL") != nullptr) tell_signals();
    if (const long late = number("STEADY_LATE_US"); newcomer && late > 0)
        ::usleep(static_cast<useconds_t>(late));
    if (const char* const late_until = std::getenv("STEADY_LATE_UNTIL"); newcomer && late_until)
        while (::access(late_until, F_OK) != 0) ::usleep(10000);
    if (const long sets_up = number("STEADY_SETS_UP_US"); newcomer && sets_up > 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, nullptr);
        ::usleep(static_cast<useconds_t>(sets_up));
    }
    if (const char* at = std::getenv("STEADY_DIE_AT");
        newcomer && at != nullptr && std::strcmp(at, "gate") == 0)
        pass_the_gate(), ::_exit(9);
    ductile::Job job(argc, argv, {}, slow_to_move());
    joining = false;
    newcomer = false;
    const long steps = argc > 1 ? std::atol(argv[1]) : 100;
    const auto pause_us = static_cast<useconds_t>(argc > 2 ? std::atol(argv[2]) : 10000);
    const char* until = std::getenv("STEADY_UNTIL");
    long step = 0;
    std::string note = "from rank 0";
    auto step_ = job.replicate("step", step);
    auto note_ = job.replicate("note", note);
    const long items = number("STEADY_ITEMS");
    const long elements = items > 0 ? items : 100003;
    long odd = 0;
    std::optional<ductile::Replicated<long>> odd_;
    if (job.fresh() && number("STEADY_ODD_RANK") == job.rank())
        odd_.emplace(job.replicate("odd", odd));
    if (!job.fresh() && std::getenv("STEADY_UNCLAIMED") != nullptr)
        static_cast<void>(job.resize_point());
    auto a = job.distribute<long>("a", elements, rule_of(elements), 3);
    if (job.fresh()) {
        for (std::int64_t i = 0; i < a.count() * 3; ++i) a[i] = a.to_global(i / 3) * 3 + i % 3;
        if (std::getenv("STEADY_READ") != nullptr && job.rank() == 0)
            for (std::string line; std::getline(std::cin, line);)
                std::cout << "read " << line << std::endl;
    }
    std::optional<Frozen> frozen;
    if (std::getenv("STEADY_FROZEN") != nullptr) frozen.emplace(job, elements, rule_of(elements));
    if (const char* child = std::getenv("STEADY_CHILD"); child != nullptr && job.fresh())
        spawn_child(job, child);
    const bool unread = std::getenv("STEADY_UNREAD") != nullptr;
    const bool reads_at_leave = std::getenv("STEADY_READ_AT_LEAVE") != nullptr;
    std::chrono::steady_clock::duration longest{};
    // Whether this process is rank 0 but was not at the start of the job.
    bool reads = reads_at_leave && !job.fresh() && job.rank() == 0;
    std::optional<Groups> groups;
    if (std::getenv("STEADY_GROUPS") != nullptr) groups.emplace(job);
    while (step < steps) {
        rest(pause_us, until);
        const bool stop = until != nullptr && job.rank() == 0 && ::access(until, F_OK) == 0;
        const long wrong = wrong_elements(a, step) + (groups ? groups->wrong() : 0) +
                           (frozen ? frozen->wrong() : 0) + wrong_local_ranks(job);
        const long mine[3] = {1, wrong, stop ? 1 : 0};
        long all[3] = {};
        const auto begin = std::chrono::steady_clock::now();
        MPI_Allreduce(mine, all, 3, MPI_LONG, MPI_SUM, job.comm());
        longest = std::max(longest, std::chrono::steady_clock::now() - begin);
        if (all[0] != job.size()) return 90;
        if (all[1] != 0) return 92;
        if (all[2] != 0) break;
        for (long& x : a.local()) x += 1;
        ++step;
        if (job.rank() == 0 && step == number("STEADY_DIE_STEP")) ::raise(SIGKILL);
        if (groups) groups->start();
        if (reads) read_as_rank_0();
        if (unread && step % 8 == 0) send_what_nobody_reads(job);
        const bool was_rank_0 = job.rank() == 0;
        const auto what = job.resize_point();
        if (groups && !groups->came()) return 93;
        if (what == ductile::Resized::leave) {
            if (std::getenv("STEADY_LEAVE_HANG") != nullptr)
                for (;;) ::pause();
            return number("STEADY_LEAVE_CODE") > 0 ? static_cast<int>(number("STEADY_LEAVE_CODE"))
                                                   : 0;
        }
        if (what == ductile::Resized::resized && groups) groups->renew();
        if (what == ductile::Resized::resized && !was_rank_0 && job.rank() == 0)
            reads = reads_at_leave;
        if (what == ductile::Resized::resized && job.rank() == 0)
            std::cout << "resized " << job.size() << " at " << step << " live " << live
                      << std::endl;
    }
    const long bad = wrong_elements(a, step) + (note == "from rank 0" ? 0 : 1);
    long all = 0;
    MPI_Allreduce(&bad, &all, 1, MPI_LONG, MPI_SUM, job.comm());
    if (job.rank() == 0)
        std::cout << "end " << job.size() << " bad " << all << std::endl
                  << "longest allreduce "
                  << std::chrono::duration_cast<std::chrono::milliseconds>(longest).count() << " ms"
                  << std::endl;
    return all == 0 ? 0 : 91;
}

void say_after() {
    const long us = number("STEADY_AFTER_US");
    if (us < 0) return;
    ::usleep(static_cast<useconds_t>(us * (1 + number("PMI_RANK"))));
    std::cout << "after " << number("PMI_RANK") << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
    std::atexit(say_after);
    return run(argc, argv);
}
