// Moves one array between the ranks of two sizes of a job, by several ways in turn, and prints how
// long each took and how many bytes it sent. No process starts or ends: only the move is measured,
// with the allocation of the new parts.
//   mpiexec -n RANKS redistribution_moves CASE SOURCES TARGETS BYTES RULE SAMPLES [WAY ...]
// CASE `resize`: the sources are the first SOURCES ranks, and the targets are the first TARGETS
// ranks. CASE `pair`: rank 0 sends everything to rank 1. WAY is an executor, `plain`
// (MPI_Alltoallv), `send` (one MPI_Send; only for `pair`) or `memcpy` (only from one rank to
// itself).
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "common/loop.hpp"
#include "data/redistribution.hpp"
#include "ductile/error.hpp"
#include "plan/rule.hpp"
#include "redistribution/plain_alltoallv.hpp"

namespace {

using namespace ductile;
using bench::Clock;

constexpr std::int64_t element_bytes = 8;
constexpr std::int64_t stride = 1009;  ///< one of so many elements is checked afterwards

struct Setting {
    data::Parties parties;
    std::int64_t elements = 0;
    plan::Rule rule;
    int samples = 0;
    std::vector<std::string> ways;
};

std::vector<core::Rank> first_ranks(int count) {
    std::vector<core::Rank> ranks;
    for (int i = 0; i < count; ++i) ranks.push_back(core::Rank{i});
    return ranks;
}

plan::Rule rule_named(const std::string& name, std::int64_t elements) {
    if (name == "block") return {};
    if (name == "cyclic") return plan::cyclic_rule(4096);
    if (name == "columns") return plan::dimension_rule({elements / 1024, 1024}, 1);
    throw InputError("no rule is called '" + name + "'");
}

Setting setting_of(const std::vector<std::string>& words) {
    if (words.size() < 7) throw InputError("too few words");
    Setting set;
    const int sources = std::stoi(words[1]), targets = std::stoi(words[2]);
    set.parties = words[0] == "pair" ? data::Parties{{core::Rank{0}}, {core::Rank{1}}}
                                     : data::Parties{first_ranks(sources), first_ranks(targets)};
    set.elements = std::stoll(words[3]) / element_bytes;
    set.rule = rule_named(words[4], set.elements);
    set.samples = std::stoi(words[5]);
    set.ways.assign(words.begin() + 6, words.end());
    return set;
}

std::int64_t* numbers_of(const data::Block& part) {
    return reinterpret_cast<std::int64_t*>(part.memory.get());
}

data::Outgoing make_array(core::Rank me, const Setting& set) {
    data::Outgoing array;
    array.spec = {"a", "i8", 1, element_bytes, set.elements, set.rule.name()};
    const auto partition = [&](const std::vector<core::Rank>& ranks) {
        return std::make_shared<const plan::Partition>(
            set.rule.partition(set.elements, static_cast<int>(ranks.size())));
    };
    array.before = partition(set.parties.sources);
    array.after = partition(set.parties.targets);
    const auto mine = std::ranges::find(set.parties.sources, me);
    if (mine == set.parties.sources.end()) return array;
    auto& part = array.old_part = data::make_block(
        array.spec, array.before, static_cast<int>(mine - set.parties.sources.begin()));
    for (std::int64_t i = 0; i < part.count; ++i)
        numbers_of(part)[i] = part.partition->to_global(part.part, i);
    return array;
}

void expect_right(const data::Block& part, const std::string& way) {
    for (std::int64_t i = 0; part.memory && i < part.count; i += stride)
        if (numbers_of(part)[i] != part.partition->to_global(part.part, i))
            throw SystemError(way + " moved wrong data");
}

// Moves the array in a way. Returns this rank's part after the move.
struct Mover {
    const mpi::Comm& comm;
    const Setting& set;
    const data::Outgoing& array;
    std::int64_t bytes_sent = 0;  ///< by the last move with an executor

    data::Block by(const std::string& way) {
        if (way == "plain") return bench::move_by_plain_alltoallv(comm, set.parties, array);
        if (way == "send") return by_one_message();
        if (way == "memcpy") return by_memcpy();
        const auto executor = plan::executor_named(way);
        if (!executor) throw InputError("no way is called '" + way + "'");
        data::Progress progress;
        const data::Movement movement{
            set.parties, {array}, data::allocate_parts(rank(), set.parties, {array})};
        bytes_sent = data::redistribute(*executor, comm, movement, progress).bytes_sent;
        return movement.new_parts.front();
    }

  private:
    [[nodiscard]] core::Rank rank() const { return core::Rank{comm.rank()}; }

    data::Block by_one_message() {
        const auto bytes = static_cast<int>(set.elements * element_bytes);
        data::Block made;
        if (comm.rank() == 0)
            mpi::check(MPI_Send(array.old_part.memory.get(), bytes, MPI_BYTE, 1, 0, comm.get()),
                       "MPI_Send");
        if (comm.rank() != 1) return made;
        made = data::make_block(array.spec, array.after, 0);
        mpi::check(
            MPI_Recv(made.memory.get(), bytes, MPI_BYTE, 0, 0, comm.get(), MPI_STATUS_IGNORE),
            "MPI_Recv");
        return made;
    }

    data::Block by_memcpy() {
        auto made = data::make_block(array.spec, array.after, 0);
        std::memcpy(made.memory.get(), array.old_part.memory.get(),
                    static_cast<std::size_t>(made.count * element_bytes));
        return made;
    }
};

double longest(const mpi::Comm& comm, double mine) {
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm.get()),
               "MPI_Allreduce");
    return mine;
}

std::int64_t sum(const mpi::Comm& comm, std::int64_t mine) {
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, comm.get()),
               "MPI_Allreduce");
    return mine;
}

// The bytes that must move: all elements whose rank changes. The ranks of each element are looked
// up.
std::int64_t bound_bytes(const Setting& set, const data::Outgoing& array) {
    std::int64_t elements = 0;
    for (std::int64_t i = 0; i < set.elements; ++i) {
        const auto at = [&](const data::SharedPartition& partition,
                            const std::vector<core::Rank>& ranks) {
            return ranks[static_cast<std::size_t>(partition->owner(i))];
        };
        elements += at(array.before, set.parties.sources) != at(array.after, set.parties.targets);
    }
    return elements * element_bytes;
}

nlohmann::json measure(const mpi::Comm& comm, const Setting& set) {
    const auto array = make_array(core::Rank{comm.rank()}, set);
    Mover mover{comm, set, array};
    nlohmann::json told{{"ways", nlohmann::json::object()}, {"elements", set.elements}};
    for (int sample = -1; sample < set.samples; ++sample)  // the first one warms up
        for (std::size_t turn = 0; turn < set.ways.size(); ++turn) {
            const auto& way =
                set.ways[(turn + static_cast<std::size_t>(sample + 1)) % set.ways.size()];
            mpi::check(MPI_Barrier(comm.get()), "MPI_Barrier");
            const auto begin = Clock::now();
            const auto made = mover.by(way);
            const double took = longest(comm, bench::seconds_since(begin));
            auto& of_way = told["ways"][way];
            if (sample >= 0) of_way["s"].push_back(took);
            if (sample >= 0) continue;
            expect_right(made, way);
            if (plan::executor_named(way)) of_way["bytes_sent"] = sum(comm, mover.bytes_sent);
        }
    told["bound_bytes"] = bound_bytes(set, array);
    return told;
}

int run(const std::vector<std::string>& words) {
    const auto comm = mpi::duplicate(MPI_COMM_WORLD);
    try {
        const auto told = measure(comm, setting_of(words));
        if (comm.rank() == 0) std::puts(told.dump().c_str());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "redistribution_moves: rank %d: %s\n", comm.rank(), error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int status = run({argv + 1, argv + argc});
    MPI_Finalize();
    return status;
}
