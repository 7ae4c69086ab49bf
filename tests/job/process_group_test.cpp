// Process groups over real MPI: every algorithm, every operation, nested groups, many groups, and
// processes that sleep outside of Ductile.
#include "ductile/process_group.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../patience.hpp"

namespace {

using namespace std::chrono_literals;
using ductile::GroupAlgorithm;
using ductile::GroupFiller;
using ductile::GroupOptions;
using ductile::GroupRequest;
using ductile::Job;
using ductile::ProcessGroup;

int failures = 0;

void expect(bool holds, const std::string& what) {
    if (holds) return;
    if (++failures <= 20) std::printf("FAILED: %s\n", what.c_str());
}

template <class Exception, class Call>
void expect_throw(const Call& call, const std::string& what) {
    try {
        call();
    } catch (const Exception&) {
        return;
    } catch (...) {
    }
    expect(false, what + " is refused");
}

const std::vector<std::pair<std::string, GroupOptions>> strategies{
    {"automatic", {}},
    {"centralized", {GroupAlgorithm::centralized}},
    {"balance, leaf", {GroupAlgorithm::shrink_and_balance, GroupFiller::leaf, 2}},
    {"balance, child", {GroupAlgorithm::shrink_and_balance, GroupFiller::child, 3}},
    {"hash", {GroupAlgorithm::shrink_and_hash, GroupFiller::none, 2}},
    {"hash, child", {GroupAlgorithm::shrink_and_hash, GroupFiller::child, 3}},
    {"balance by host", {GroupAlgorithm::shrink_and_balance, GroupFiller::leaf, 2, true}},
    {"automatic by host", {GroupAlgorithm::automatic, GroupFiller::automatic, 4, true}},
    {"hash, leaf", {GroupAlgorithm::shrink_and_hash, GroupFiller::leaf, 4}},
};

// The job ranks of the members, by group rank. The group itself collects them.
std::vector<int> members_of(const ProcessGroup& group, int own) {
    std::vector<int> mine(static_cast<std::size_t>(group.size()), -1), all(mine);
    mine[static_cast<std::size_t>(group.rank())] = own;
    group.allreduce(mine.data(), all.data(), group.size(), MPI_INT, MPI_MAX);
    return all;
}

void test_operations(const ProcessGroup& group, const std::string& strategy) {
    const int m = group.size(), rank = group.rank();
    group.barrier();
    for (const std::int64_t count : {0, 1, 7, 5000}) {
        const auto size = static_cast<std::size_t>(count);
        std::vector<long> in(size), out(size, -1);
        const auto part = [](std::size_t i, int r) {
            return static_cast<long>(i) * 3 + 100L * (r + 1);
        };
        long of_ranks = 0;
        for (int r = 0; r < m; ++r) of_ranks += 100L * (r + 1);
        const auto is_sum = [&](const std::vector<long>& values) {
            for (std::size_t i = 0; i < size; ++i)
                if (values[i] != static_cast<long>(i) * 3 * m + of_ranks) return false;
            return true;
        };
        for (std::size_t i = 0; i < size; ++i) in[i] = part(i, rank);
        group.allreduce(in.data(), out.data(), count, MPI_LONG, MPI_SUM);
        expect(is_sum(out), strategy + ": allreduce");
        out = in;
        group.allreduce(MPI_IN_PLACE, out.data(), count, MPI_LONG, MPI_SUM);
        expect(is_sum(out), strategy + ": allreduce in place");
        for (int root = 0; root < m; ++root) {
            if (m > 4 && root % 3 != 0 && root != m - 1) continue;
            out.assign(size, -1);
            group.reduce(in.data(), rank == root ? out.data() : nullptr, count, MPI_LONG, MPI_SUM,
                         root);
            expect(rank != root || is_sum(out), strategy + ": reduce");
            if (rank == root) out = in;
            group.reduce(rank == root ? MPI_IN_PLACE : in.data(), out.data(), count, MPI_LONG,
                         MPI_SUM, root);
            expect(rank != root || is_sum(out), strategy + ": reduce in place");
            out = rank == root ? in : std::vector<long>(size, -1);
            group.broadcast(out.data(), count, MPI_LONG, root);
            for (std::size_t i = 0; i < size; ++i)
                expect(out[i] == part(i, root), strategy + ": broadcast");
        }
    }
}

// A datatype with gaps: the second double of each pair.
void test_gaps(const ProcessGroup& group, const std::string& strategy) {
    MPI_Datatype one = MPI_DATATYPE_NULL, pair = MPI_DATATYPE_NULL;
    const int length = 1;
    const MPI_Aint shift = sizeof(double);
    MPI_Type_create_hindexed(1, &length, &shift, MPI_DOUBLE, &one);
    MPI_Type_create_resized(one, 0, 2 * sizeof(double), &pair);
    MPI_Type_commit(&pair);
    std::vector<double> data(200, -1);
    for (std::size_t i = 1; i < data.size(); i += 2)
        data[i] = group.rank() == group.size() - 1 ? static_cast<double>(i) : 0;
    group.broadcast(data.data(), 100, pair, group.size() - 1);
    for (std::size_t i = 0; i < data.size(); ++i)
        expect(data[i] == (i % 2 == 1 ? static_cast<double>(i) : -1),
               strategy + ": a type with gaps");
    MPI_Type_free(&pair);
    MPI_Type_free(&one);
}

// A user-defined operation on a datatype with gaps: the smaller of the second doubles.
void smaller(void* in, void* inout, int* length, MPI_Datatype*) {
    auto* a = static_cast<double*>(in);
    auto* b = static_cast<double*>(inout);
    for (int i = 0; i < *length; ++i)
        if (a[2 * i + 1] < b[2 * i + 1]) b[2 * i + 1] = a[2 * i + 1];
}

void test_own_operation(const ProcessGroup& group, const std::string& strategy) {
    MPI_Datatype one = MPI_DATATYPE_NULL, pair = MPI_DATATYPE_NULL;
    const int length = 1;
    const MPI_Aint shift = sizeof(double);
    MPI_Type_create_hindexed(1, &length, &shift, MPI_DOUBLE, &one);
    MPI_Type_create_resized(one, 0, 2 * sizeof(double), &pair);
    MPI_Type_commit(&pair);
    MPI_Op op = MPI_OP_NULL, ordered = MPI_OP_NULL;
    MPI_Op_create(smaller, 1, &op);
    MPI_Op_create(smaller, 0, &ordered);
    std::vector<double> in(20000, -1), out(20000, -1);
    for (std::size_t i = 1; i < in.size(); i += 2) in[i] = 10.0 + group.rank();
    group.allreduce(in.data(), out.data(), 10000, pair, op);
    for (std::size_t i = 0; i < out.size(); ++i)
        expect(out[i] == (i % 2 == 1 ? 10.0 : -1), strategy + ": an operation of one's own");
    expect_throw<ductile::UsageError>(
        [&] { group.allreduce(in.data(), out.data(), 1, pair, ordered); },
        "an operation that does not commute");
    MPI_Op_free(&op);
    MPI_Op_free(&ordered);
    MPI_Type_free(&pair);
    MPI_Type_free(&one);
}

void test_pipelining(const ProcessGroup& parent, const std::string& strategy,
                     GroupOptions options) {
    options.segment_bytes = 1000;
    const auto group = parent.split(true, options);
    constexpr std::int64_t count = 100'003;
    std::vector<int> in(count), out(count, -1);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i) + group.rank();
    group.allreduce(in.data(), out.data(), count, MPI_INT, MPI_MAX);
    bool right = true;
    for (std::size_t i = 0; i < out.size(); ++i)
        right = right && out[i] == static_cast<int>(i) + group.size() - 1;
    expect(right, strategy + ": allreduce in segments");
    const int root = group.size() / 2;
    group.broadcast(in.data(), count, MPI_INT, root);
    for (std::size_t i = 0; i < in.size(); ++i)
        right = right && in[i] == static_cast<int>(i) + root;
    expect(right, strategy + ": broadcast in segments");
    out.assign(count, -1);
    group.reduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, root);
    if (group.rank() == root)
        for (std::size_t i = 0; i < out.size(); ++i)
            right = right && out[i] == (static_cast<int>(i) + root) * group.size();
    expect(right, strategy + ": reduce in segments");
}

void test_requests(const ProcessGroup& group, const std::string& strategy) {
    const int m = group.size(), rank = group.rank();
    // Several operations run together. They are waited for in the reverse order, after a blocking
    // operation.
    std::vector<std::vector<int>> data(7, std::vector<int>(3000, rank));
    std::vector<GroupRequest> requests;
    for (int i = 0; i < 7; ++i) {
        auto& d = data[static_cast<std::size_t>(i)];
        if (i % 3 == 0)
            requests.push_back(group.start_broadcast(d.data(), 3000, MPI_INT, i % m));
        else if (i % 3 == 1)
            requests.push_back(
                group.start_allreduce(MPI_IN_PLACE, d.data(), 3000, MPI_INT, MPI_SUM));
        else
            requests.push_back(group.start_barrier());
    }
    int one = 1, sum = 0;
    group.allreduce(&one, &sum, 1, MPI_INT, MPI_SUM);
    expect(sum == m, strategy + ": a blocking operation among others");
    for (std::size_t i = requests.size(); i-- > 0;) requests[i].wait();
    for (int i = 0; i < 7; ++i) {
        const auto& d = data[static_cast<std::size_t>(i)];
        const int expected = i % 3 == 0 ? i % m : i % 3 == 1 ? m * (m - 1) / 2 : rank;
        expect(d.front() == expected && d.back() == expected, strategy + ": operations at once");
    }
    int last = rank;
    int result = -1;
    auto request = group.start_reduce(&last, &result, 1, MPI_INT, MPI_MAX, m - 1);
    while (!request.test()) std::this_thread::yield();
    expect(rank != m - 1 || result == m - 1, strategy + ": reduce, tested");
    if (m > 1 && rank == 0) {  // rank m - 1 waits for rank 0: only 8 operations may run
        std::vector<GroupRequest> many;
        for (int i = 0; i < 8; ++i) many.push_back(group.start_barrier());
        expect_throw<ductile::UsageError>([&] { static_cast<void>(group.start_barrier()); },
                                          "a 9th operation");
        group.send(&one, 1, MPI_INT, m - 1, 9);
    } else if (m > 1) {
        if (rank == m - 1) group.receive(&one, 1, MPI_INT, 0, 9);
        for (int i = 0; i < 8; ++i) group.barrier();
    }
}

void test_messages(const ProcessGroup& group, const std::string& strategy) {
    const int m = group.size(), rank = group.rank();
    for (int distance = 0; distance < m; ++distance) {
        const int to = (rank + distance) % m, from = (rank - distance + m) % m;
        const int sent = 1000 * rank + to;
        int got = -1;
        // All ranks send in a circle. If all called send() first, they could wait for each other.
        // So a thread sends.
        std::thread sender([&] { group.send(&sent, 1, MPI_INT, to, distance % 5); });
        group.receive(&got, 1, MPI_INT, from, distance % 5);
        sender.join();
        expect(got == 1000 * from + rank, strategy + ": messages by group rank");
    }
}

void test_strategy(Job& job, const std::string& strategy, const GroupOptions& options) {
    const int n = job.size(), own = job.rank();
    for (int pattern = 0; pattern < 6; ++pattern) {
        const bool in =
            std::vector{true, own % 2 == 1, own == n - 1, own != 0, own == 0, own * 7 % 5 < 3}
                [static_cast<std::size_t>(pattern)];
        const ProcessGroup group(job, in, options);
        const std::string name = strategy + ", set " + std::to_string(pattern);
        expect(group.member() == in, name + ": members");
        if (!in) {
            expect_throw<ductile::UsageError>([&] { group.barrier(); }, "a stranger's barrier");
            continue;
        }
        expect(group.bytes() <= 256, name + ": bytes are " + std::to_string(group.bytes()));
        const auto members = members_of(group, own);
        for (std::size_t i = 0; i < members.size(); ++i)
            expect(members[i] >= 0, name + ": each rank has a member");
        test_operations(group, name);
        test_messages(group, name);
        if (pattern > 1) continue;
        test_gaps(group, name);
        test_own_operation(group, name);
        test_pipelining(group, name, options);
        test_requests(group, name);
    }
}

// Halves of halves. Then groups of one process, of two, and of all processes but one.
void test_nested(Job& job, const std::string& strategy, const GroupOptions& options) {
    std::vector<ProcessGroup> groups;
    groups.emplace_back(job, true, options);
    while (groups.back().size() > 1) {
        const auto& parent = groups.back();
        auto child = parent.split(parent.rank() % 2 == 0);
        if (!child.member()) break;
        expect(child.size() == (parent.size() + 1) / 2, strategy + ": half of a group");
        groups.push_back(std::move(child));
        groups.back().barrier();
    }
    groups.clear();
    const ProcessGroup all(job, true, options);
    const auto alone = all.split(ductile::GroupColour{all.rank()});
    expect(alone.size() == 1 && alone.rank() == 0, strategy + ": a group for each");
    const auto rows = all.split(ductile::GroupColour{all.rank() / 2 + 5});
    expect(rows.size() <= 2, strategy + ": groups of two");
    int one = 1, sum = 0;
    rows.allreduce(&one, &sum, 1, MPI_INT, MPI_SUM);
    expect(sum == rows.size(), strategy + ": a sum in groups of two");
    const auto none = all.split(ductile::GroupColour{all.rank() == 0 ? MPI_UNDEFINED : 3});
    expect(none.member() == (all.rank() != 0), strategy + ": MPI_UNDEFINED");
    expect_throw<ductile::InputError>(
        [&] { static_cast<void>(all.split(ductile::GroupColour{-5})); }, "colour -5");
}

/// Of all ranks, which are on one host: where each says that it has done something, by a file.
class Signs {
  public:
    Signs(const Job& job, std::string what) : job_(job), what_(std::move(what)) {
        std::string made =
            (std::filesystem::temp_directory_path() / "ductile-signs-XXXXXX").string();
        if (job.rank() == 0 && ::mkdtemp(made.data()) == nullptr) std::abort();
        MPI_Bcast(made.data(), static_cast<int>(made.size()), MPI_CHAR, 0, job.comm());
        folder_ = made;
    }
    void give() const { std::ofstream(folder_ / std::to_string(job_.rank())); }
    /// Waits, without MPI and without Ductile, until so many ranks have given theirs.
    void await(int ranks) const {
        const auto end = std::chrono::steady_clock::now() + ductile::test::patient(10s);
        while (given() < ranks && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(10ms);
        expect(given() == ranks,
               what_ + ": " + std::to_string(given()) + " of " + std::to_string(ranks));
    }
    /// By one rank, when nobody looks any more.
    void remove() const { std::filesystem::remove_all(folder_); }

  private:
    [[nodiscard]] int given() const {
        return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder_), {}));
    }
    const Job& job_;
    std::string what_;
    std::filesystem::path folder_;
};

// A process outside the group sleeps outside of Ductile. Its helper thread answers what the others
// need to build the group.
void test_absent(Job& job, const std::string& strategy, const GroupOptions& options) {
    const ProcessGroup early(job, true, options);
    const auto inner = early.split(early.rank() != 0);  // a nested group without the root
    const Signs built(job, strategy + ": built without the one that is absent");
    MPI_Barrier(job.comm());
    const bool absent = job.rank() == job.size() / 2;
    const ProcessGroup group(job, !absent, options);
    const auto nested =
        group.member() ? std::optional(group.split(group.rank() % 2 == 0)) : std::nullopt;
    if (group.member()) group.barrier();
    if (absent)
        built.await(job.size() - 1);
    else
        built.give();
    MPI_Barrier(job.comm());
    if (absent) built.remove();
}

void test_many(Job& job) {
    constexpr int number = 10000;
    const ProcessGroup all(job, true);
    std::vector<ProcessGroup> groups;
    groups.reserve(number);
    for (int i = 0; i < number; ++i) groups.push_back(all.split((all.rank() + i) % 3 != 0));
    int one = 1;
    for (std::size_t i = 0; i < groups.size(); i += 97) {
        if (!groups[i].member()) continue;
        int sum = 0;
        groups[i].allreduce(&one, &sum, 1, MPI_INT, MPI_SUM);
        expect(sum == groups[i].size(), "one of ten thousand groups");
    }
}

// Processes without a group return immediately, while the others still build their group.
void test_leaving(Job& job) {
    ProcessGroup all(job.comm());
    const auto some = all.split(all.rank() % 4 == 3);
    if (!some.member()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    some.barrier();
}

// A member may end its group before another member receives its message.
void test_early_end(Job& job, const GroupOptions& options) {
    const int last = job.size() - 1;
    int value = 5;
    const ProcessGroup all(job, true, options);
    {
        const auto group = all.split(true);
        if (group.rank() == last) group.send(&value, 1, MPI_INT, 0);
        if (group.rank() == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            value = 0;
            group.receive(&value, 1, MPI_INT, last);
        }
    }
    expect(value == 5, "a message of a member that has gone");
    int nothing = 0;
    if (last > 0 && all.rank() == last) all.send(nullptr, 0, MPI_INT, 0);
    if (last > 0 && all.rank() == 0) {
        const double begin = MPI_Wtime();
        all.receive(&nothing, 0, MPI_INT, last);
        expect(MPI_Wtime() - begin < 5, "a message of nothing");
    }
}

void test_refusals(Job& job) {
    expect_throw<ductile::InputError>(
        [&] {
            ProcessGroup(job, true, {GroupAlgorithm::automatic, GroupFiller::automatic, 1});
        },
        "branching 1");
    expect_throw<ductile::InputError>(
        [&] {
            ProcessGroup(job, true, {GroupAlgorithm::shrink_and_balance, GroupFiller::none});
        },
        "balance with holes");
    expect_throw<ductile::InputError>(
        [&] { ProcessGroup(job, true, {static_cast<GroupAlgorithm>(9)}); }, "algorithm 9");
    ProcessGroup group(job, true);
    int value = 0;
    expect_throw<ductile::InputError>([&] { group.broadcast(&value, 1, MPI_INT, group.size()); },
                                      "a root that is no rank");
    expect_throw<ductile::InputError>([&] { group.broadcast(&value, -1, MPI_INT); },
                                      "a negative count");
    expect_throw<ductile::InputError>([&] { group.broadcast(&value, INT64_MAX / 4 + 2, MPI_INT); },
                                      "more than any memory holds");
    expect_throw<ductile::InputError>([&] { group.send(&value, -4, MPI_INT, 0); },
                                      "a message of a negative count");
    expect_throw<ductile::InputError>([&] { group.send(&value, 1, MPI_INT, 0, 16); }, "tag 16");
    expect_throw<ductile::InputError>([&] { group.broadcast(nullptr, 1, MPI_INT); }, "no buffer");
    expect_throw<ductile::InputError>([&] { group.broadcast(&value, 1, MPI_DATATYPE_NULL); },
                                      "no datatype");
    expect_throw<ductile::InputError>(
        [&] { group.allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_OP_NULL); }, "no operation");
    expect_throw<ductile::UsageError>(
        [&] { group.allreduce(&value, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM); }, "in place as `out`");
    expect_throw<ductile::UsageError>([&] { group.share(true, MPI_IN_PLACE, 1, MPI_INT); },
                                      "in place as data");
    group.barrier();
    const ProcessGroup moved = std::move(group);
    // NOLINTNEXTLINE(bugprone-use-after-move): the test is about this use
    expect_throw<ductile::UsageError>([&] { static_cast<void>(group.member()); }, "what was moved");
    expect_throw<ductile::UsageError>([&] { ProcessGroup{MPI_COMM_NULL}; }, "no communicator");
}

/// Rank 0 asks for two elements, but gets one: receive() throws, and the group is still usable.
void test_disagreement(Job& job) {
    const ProcessGroup group(job, true);
    if (group.size() < 2) return;
    long value[2] = {1, 1};
    if (group.rank() == 0)
        expect_throw<ductile::UsageError>([&] { group.receive(value, 2, MPI_LONG, 1); },
                                          "a message that is too short");
    else if (group.rank() == 1)
        group.send(value, 1, MPI_LONG, 0);
    group.barrier();
}

void test_intercommunicator(Job& job) {
    if (job.size() < 2) return;
    MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
    MPI_Comm_split(job.comm(), job.rank() % 2, 0, &half);
    MPI_Intercomm_create(half, 0, job.comm(), job.rank() % 2 == 0 ? 1 : 0, 7, &both);
    expect_throw<ductile::UsageError>([&] { ProcessGroup{both}; }, "an intercommunicator");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
    Job job(argc, argv);
    for (const auto& [strategy, options] : strategies) {
        test_strategy(job, strategy, options);
        test_nested(job, strategy, options);
        if (job.size() == 5 && strategy == "hash") test_absent(job, strategy, options);
    }
    test_refusals(job);
    test_disagreement(job);
    test_intercommunicator(job);
    for (const auto& [strategy, options] : strategies)
        if (job.size() > 1) test_early_end(job, options);
    test_leaving(job);
    if (job.size() <= 3) test_many(job);
    {
        ProcessGroup of_comm(job.comm());
        expect(of_comm.rank() == job.rank() && of_comm.size() == job.size(),
               "the group of a communicator");
        test_operations(of_comm, "of a communicator");
        expect_throw<ductile::UsageError>([&] { of_comm.renew(); }, "renewing it");
    }
    int sum = 0;
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, job.comm());
    if (job.rank() == 0) std::printf("%d failures\n", sum);
    return sum == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
