// Compares process groups with MPI's communicators in one run: the time to make them, their memory,
// and their collective operations. Rank 0 prints one JSON object.
// usage: group_operations REPEAT [alive]. With `alive` it also makes as many groups as can exist at
// the same time.
#include <malloc.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ductile/ductile.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

using ductile::GroupAlgorithm;
using ductile::GroupOptions;
using ductile::ProcessGroup;
using nlohmann::json;

namespace {

std::atomic<long> sent = 0;  // messages of this process

constexpr int many = 10000;

struct Way {
    std::string name;
    GroupOptions options;
};
const std::vector<Way> ways{{"automatic", {}},
                            {"centralized", {GroupAlgorithm::centralized}},
                            {"balance", {GroupAlgorithm::shrink_and_balance}},
                            {"hash", {GroupAlgorithm::shrink_and_hash}},
                            {"automatic, by host", {.by_host = true}}};

/// Makes `times` calls. Returns the seconds that one call takes on the slowest rank.
double timed(MPI_Comm comm, int times, const std::function<void()>& call) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; ++i) call();
    double mine = (MPI_Wtime() - begin) / times, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    return slowest;
}

long sum_of(MPI_Comm comm, long value) {
    long sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, comm);
    return sum;
}

/// Whether this rank is drawn; rank 0 always is, so that no set is empty.
bool drawn(int rank, double fraction, unsigned seed) {
    std::mt19937 random{seed * 7919U + static_cast<unsigned>(rank)};
    return rank == 0 || std::bernoulli_distribution{fraction}(random);
}

/// Measures how long it takes to make a group of a fraction of the ranks: in each of our ways, by
/// MPI_Comm_split, and by MPI_Comm_create_group (which only the members call), in turn. Which one
/// comes first changes each time.
json building(ductile::Job& job, double fraction, int repeat) {
    const MPI_Comm comm = job.comm();
    json found{{"fraction", fraction}};
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &all);
    for (int sample = 0; sample < repeat; ++sample) {
        const auto seed = static_cast<unsigned>(sample);
        const bool in = drawn(job.rank(), fraction, seed);
        std::vector<int> members;
        for (int rank = 0; rank < job.size(); ++rank)
            if (drawn(rank, fraction, seed)) members.push_back(rank);
        MPI_Group subset = MPI_GROUP_NULL;
        MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &subset);
        std::vector<std::function<void()>> turns;
        for (const auto& way : ways)
            turns.emplace_back([&] {
                const long before = sent;
                auto& row = found["ours"][way.name];
                row["s"].push_back(
                    timed(comm, 1, [&] { const ProcessGroup group(job, in, way.options); }));
                // The barrier and the allreduce in timed() do not call MPI_Isend, so they are not
                // counted.
                row["messages"] = sum_of(comm, sent - before);
            });
        turns.emplace_back([&] {
            found["MPI_Comm_split"]["s"].push_back(timed(comm, 1, [&] {
                MPI_Comm made = MPI_COMM_NULL;
                MPI_Comm_split(comm, in ? 0 : MPI_UNDEFINED, 0, &made);
                if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
            }));
        });
        turns.emplace_back([&] {
            found["MPI_Comm_create_group"]["s"].push_back(timed(comm, 1, [&] {
                MPI_Comm made = MPI_COMM_NULL;
                if (in) MPI_Comm_create_group(comm, subset, 0, &made);
                if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
            }));
        });
        const auto first = static_cast<std::ptrdiff_t>(sample) % std::ssize(turns);
        std::ranges::rotate(turns, turns.begin() + first);
        for (const auto& turn : turns) turn();
        MPI_Group_free(&subset);
        found["members"] = members;  // of the last sample, whose messages are kept
    }
    MPI_Group_free(&all);
    return found;
}

/// Compares the operations of a group of all ranks, and of a group whose tree is made by host, with
/// those of MPI on the job's communicator, in turn.
json operations(ductile::Job& job, int repeat) {
    const MPI_Comm comm = job.comm();
    GroupOptions by_host;
    by_host.by_host = true;
    const ProcessGroup plain(job, true), hosts(job, true, by_host);
    json found = json::array();
    const auto compare = [&](const std::string& name, int times,
                             const std::function<void(const ProcessGroup&)>& ours,
                             const std::function<void()>& other) {
        json row{{"operation", name}};
        for (int sample = 0; sample < repeat; ++sample) {
            row["ours_s"].push_back(timed(comm, times, [&] { ours(plain); }));
            row["by_host_s"].push_back(timed(comm, times, [&] { ours(hosts); }));
            row["other_s"].push_back(timed(comm, times, other));
        }
        found.push_back(std::move(row));
    };
    compare(
        "barrier", 20, [](const ProcessGroup& group) { group.barrier(); },
        [&] { MPI_Barrier(comm); });
    for (const int bytes : {8, 65536, 4 << 20}) {
        const auto size = static_cast<std::size_t>(bytes / 8);
        std::vector<double> in(size, 1.0), out(size);
        const int n = static_cast<int>(size), times = bytes > 100000 ? 1 : 10;
        const auto of = " of " + std::to_string(bytes) + " bytes";
        compare(
            "broadcast" + of, times,
            [&](const ProcessGroup& group) { group.broadcast(in.data(), n, MPI_DOUBLE); },
            [&] { MPI_Bcast(in.data(), n, MPI_DOUBLE, 0, comm); });
        compare(
            "allreduce" + of, times,
            [&](const ProcessGroup& group) {
                group.allreduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM);
            },
            [&] { MPI_Allreduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, comm); });
    }
    return found;
}

/// The bytes that the heap of the C library has given out in this process.
double heap_bytes() {
    const auto heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd);
}

double largest_of(MPI_Comm comm, double value) {
    double largest = 0;
    MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
    return largest;
}

/// How many groups or communicators can exist at the same time, and how many bytes a process holds
/// for each: groups up to `many`, and communicators up to `many` or until MPI refuses. The heap is
/// measured for both, so that all memory is counted.
json alive_at_once(ductile::Job& job) {
    const MPI_Comm comm = job.comm();
    const ProcessGroup all(job, true);
    std::vector<ProcessGroup> groups;
    groups.reserve(many);
    const double heap_before = heap_bytes(), begin = MPI_Wtime();
    for (int i = 0; i < many; ++i) groups.push_back(all.split((job.rank() + i) % 2 == 0));
    const double seconds = MPI_Wtime() - begin, heap_of_groups = heap_bytes() - heap_before;
    std::size_t most = 0;
    for (const auto& group : groups)
        if (group.member()) most = std::max(most, group.bytes());
    std::vector<MPI_Comm> made;
    made.reserve(many);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const double heap_between = heap_bytes();
    for (MPI_Comm one = MPI_COMM_NULL;
         static_cast<int>(made.size()) < many && MPI_Comm_dup(comm, &one) == MPI_SUCCESS;)
        made.push_back(one);
    const double heap_of_mpi = heap_bytes() - heap_between;
    const auto of_mpi = made.size();
    for (auto& one : made) MPI_Comm_free(&one);
    return {{"groups", groups.size()},
            {"seconds", seconds},
            {"bytes_a_process", largest_of(comm, static_cast<double>(most))},
            // Each process is in half of the groups.
            {"heap_a_group", largest_of(comm, heap_of_groups) / (many / 2.0)},
            {"communicators", of_mpi},
            {"heap_a_communicator", largest_of(comm, heap_of_mpi) / static_cast<double>(of_mpi)}};
}

}  // namespace

// Ductile's messages for groups pass through here: symbols of the executable take precedence.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
    ++sent;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const int repeat = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
    json found{{"ranks", job.size()}};
    // A first group of each kind makes connections and threads. It is not measured.
    static_cast<void>(building(job, 1, 1));
    for (const double fraction : {0.01, 0.1, 0.3, 0.6, 0.9, 0.99})
        found["building"].push_back(building(job, fraction, repeat));
    found["operations"] = operations(job, repeat);
    if (argc > 2) found["alive"] = alive_at_once(job);
    if (job.rank() == 0) std::printf("%s\n", found.dump().c_str());
}
