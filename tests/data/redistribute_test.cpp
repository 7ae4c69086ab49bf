// Run by mpiexec with as many ranks as the larger side: every pair of sizes, looked after by test()
// or not, by several rules, one that is given up, and one part beyond 2^31 elements.
#include "data/redistribution.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "plan/rule.hpp"

namespace {

using namespace ductile;

std::vector<core::Rank> ranks(int n, int step) {
    std::vector<core::Rank> list;
    for (int i = 0; i < n; ++i) list.push_back(core::Rank{i * step});
    return list;
}

unsigned char expected(std::int64_t element, std::int64_t byte) {
    return static_cast<unsigned char>((element * 31 + byte * 7 + (element >> 20)) & 0xff);
}

enum class How { at_once, by_tests };

data::Moved move_by(How how, const mpi::Comm& comm, data::Movement movement) {
    data::Progress progress;
    if (how == How::at_once) return data::redistribute(comm, movement, progress);
    const auto redistribution = data::make_redistribution(comm, std::move(movement), progress);
    redistribution->start();
    while (!redistribution->test()) std::this_thread::yield();
    return redistribution->finish();
}

std::shared_ptr<const plan::Partition> partition_by(const plan::Rule& rule, std::int64_t elements,
                                                    std::size_t parts) {
    return std::make_shared<const plan::Partition>(
        rule.partition(elements, static_cast<int>(parts)));
}

// Calls visit(byte in memory, global index, byte of the element) for each stride-th element.
template <class Visit>
void for_each_byte(const data::Block& part, std::int64_t element_bytes, std::int64_t stride,
                   Visit visit) {
    auto* bytes = reinterpret_cast<unsigned char*>(part.memory.get());
    for (std::int64_t e = 0; e < part.count; e += stride) {
        const auto element = part.partition->to_global(part.part, e);
        for (std::int64_t b = 0; b < element_bytes; ++b)
            visit(bytes[e * element_bytes + b], element, b);
    }
}

// One array from `from` parts to `to` parts; returns the number of wrong bytes on this rank.
long move_once(const mpi::Comm& comm, const data::Parties& parties, std::int64_t elements,
               std::int64_t element_bytes, std::int64_t stride, How how = How::at_once,
               const plan::Rule& rule = {}) {
    const core::Rank me{comm.rank()};
    data::Outgoing array;
    array.spec = {"a", "bytes", 1, element_bytes, elements, rule.name()};
    array.before = partition_by(rule, elements, parties.sources.size());
    array.after = partition_by(rule, elements, parties.targets.size());
    for (std::size_t i = 0; i < parties.sources.size(); ++i) {
        if (parties.sources[i] != me) continue;
        array.old_part = data::make_block(array.spec, array.before, static_cast<int>(i));
        for_each_byte(array.old_part, element_bytes, 1,
                      [](unsigned char& byte, std::int64_t element, std::int64_t b) {
                          byte = expected(element, b);
                      });
    }
    const auto parts = data::allocate_parts(me, parties, {array});
    const auto moved = move_by(how, comm, {parties, {array}, parts});
    long wrong = moved.bytes_new == parts[0].count * element_bytes ? 0 : 1;
    for_each_byte(parts[0], element_bytes, stride,
                  [&](unsigned char byte, std::int64_t element, std::int64_t b) {
                      wrong += byte != expected(element, b);
                  });
    return wrong;
}

// Rows of 0 to 3 numbers: number j of row i is 10 i + j.
std::int64_t length_of(std::int64_t row) {
    return row % 4;
}

template <class Visit>
void for_each_number(const data::ArraySpec& spec, const data::Block& part, Visit visit) {
    for (std::int64_t i = 0; i < part.count; ++i) {
        const auto row = part.partition->to_global(part.part, i);
        auto* numbers = reinterpret_cast<int*>(data::memory_at(spec, part, i));
        for (std::int64_t j = 0; j < length_of(row); ++j)
            visit(numbers[j], static_cast<int>(10 * row + j));
    }
}

long move_rows(const mpi::Comm& comm, const data::Parties& parties, std::int64_t rows,
               const plan::Rule& rule) {
    const core::Rank me{comm.rank()};
    data::Outgoing array;
    array.spec = {"a", "i", 1, sizeof(int), rows, rule.name(), {}, data::Elements::rows};
    array.before = partition_by(rule, rows, parties.sources.size());
    array.after = partition_by(rule, rows, parties.targets.size());
    if (me.value < static_cast<int>(parties.sources.size())) {
        auto& part = array.old_part = data::make_block(array.spec, array.before, me.value);
        std::vector<std::int64_t> lengths;
        for (std::int64_t i = 0; i < part.count; ++i)
            lengths.push_back(length_of(part.partition->to_global(part.part, i)));
        *part.rows = data::make_rows(array.spec, part.count, lengths);
        for_each_number(array.spec, part, [](int& number, int wanted) { number = wanted; });
    }
    const auto parts = data::allocate_parts(me, parties, {array});
    data::Progress progress;
    data::redistribute(comm, {parties, {array}, parts, true}, progress);
    long wrong = 0;
    for (std::int64_t i = 0; i < parts[0].count; ++i)
        wrong += data::bytes_of(array.spec, parts[0], i, 1) !=
                 4 * length_of(parts[0].partition->to_global(parts[0].part, i));
    if (wrong == 0)
        for_each_number(array.spec, parts[0],
                        [&](int number, int wanted) { wrong += number != wanted; });
    return wrong;
}

// Rank 0 is to give all it has to rank 1, which never asks for it. What MPI may still read lives
// on.
long give_up(const mpi::Comm& comm, bool by_throwing) {
    if (comm.rank() != 0) return 0;
    std::weak_ptr<std::byte[]> memory;
    bool threw = false;
    long wrong = 0;
    {
        data::Outgoing array{
            {"a", "bytes", 1, 1, 1000}, {}, partition_by({}, 1000, 1), partition_by({}, 1000, 1)};
        array.old_part = data::make_block(array.spec, array.before, 0);
        memory = array.old_part.memory;
        data::Progress progress;
        const auto redistribution = data::make_redistribution(
            comm, {{{core::Rank{0}}, {core::Rank{1}}}, {array}, std::vector<data::Block>(1)},
            progress);
        redistribution->start();
        wrong += redistribution->test() ? 1 : 0;
        if (by_throwing) {
            progress.abandon();
            try {
                redistribution->finish();
            } catch (const data::Abandoned&) {
                threw = true;
            }
        } else {
            redistribution->abandon();
        }
    }
    return wrong + (memory.expired() ? 1 : 0) + (threw == by_throwing ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    long wrong = 0;
    {
        const auto comm = mpi::duplicate(MPI_COMM_WORLD);
        const int n = comm.size();
        if (argc > 1 && std::strcmp(argv[1], "large") == 0) {
            const std::int64_t elements = (std::int64_t{1} << 31) + 12345;
            wrong += move_once(comm, {ranks(1, 1), ranks(2, 1)}, elements, 1, 4099);
        } else {
            for (int from = 1; from <= n; ++from)
                for (int to = 1; to <= n; ++to)
                    for (const std::int64_t elements : {0, 1, 7, 1000})
                        for (const How how : {How::at_once, How::by_tests})
                            wrong += move_once(comm, {ranks(from, 1), ranks(to, 1)}, elements, 24,
                                               1, how);
            for (const auto& rule : {plan::cyclic_rule(3), plan::dimension_rule({10, 100}, 1),
                                     plan::grid_rule({40, 25})})
                for (int from = 1; from <= n; ++from)
                    for (int to = 1; to <= n; ++to)
                        wrong += move_once(comm, {ranks(from, 1), ranks(to, 1)}, 1000, 24, 1,
                                           How::at_once, rule);
            for (const auto& rule : {plan::Rule(), plan::cyclic_rule(3)})
                for (int from = 1; from <= n; ++from)
                    for (int to = 1; to <= n; ++to)
                        for (const std::int64_t rows : {0, 1, 100})
                            wrong += move_rows(comm, {ranks(from, 1), ranks(to, 1)}, rows, rule);
            // Targets that do not begin at rank 0: the root's group has left.
            if (n >= 3)
                wrong += move_once(comm, {ranks(n, 1), {core::Rank{1}, core::Rank{2}}}, 1000, 8, 1);
            if (n >= 2)
                for (const bool by_throwing : {false, true}) wrong += give_up(comm, by_throwing);
        }
        long all = 0;
        MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, comm.get());
        wrong = all;
        if (comm.rank() == 0) std::printf("%ld faults\n", all);
    }
    MPI_Finalize();
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
