// Run by with_ranks. Each executor, or the executor that is named, moves data between all pairs of
// sizes whose larger size is the number of ranks: by several rules, and with and without calls of
// test(). One redistribution is given up. With `large`, a part has more than 2^31 elements.
#include "data/redistribution.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "data/tight_move.hpp"
#include "far_memory.hpp"
#include "plan/rule.hpp"

// Replaces the function of the MPI by which src/data asks whether the MPI can access CUDA's memory.
static bool mpi_can_access_cuda = false;
extern "C" int MPIX_GPU_query_support(int device, int* is_supported) {
    *is_supported = device == 0 && mpi_can_access_cuda ? 1 : 0;
    return MPI_SUCCESS;
}

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

enum class Look { at_once, by_tests };

struct How {
    plan::Executor executor = plan::Executor::p2p;
    Look look = Look::at_once;
};

data::Moved move_by(How how, const mpi::Comm& comm, data::Movement movement) {
    data::Progress progress;
    if (how.look == Look::at_once)
        return data::redistribute(how.executor, comm, movement, progress);
    auto redistribution =
        data::make_redistribution(how.executor, comm, std::move(movement), progress);
    redistribution.start();
    while (!redistribution.test()) std::this_thread::yield();
    return redistribution.finish();
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

struct Shape {
    std::int64_t elements = 0;
    std::int64_t element_bytes = 1;
    plan::Rule rule = {};
    std::vector<data::Stretch> moving = {};
    [[nodiscard]] bool does_move(std::int64_t byte) const {
        return moving.empty() || std::ranges::any_of(moving, [byte](const data::Stretch& stretch) {
                   return stretch.offset <= byte && byte < stretch.end();
               });
    }
};

// An array with the old part of this rank, in which each stride-th element has its value.
data::Outgoing make_array(core::Rank me, const data::Parties& parties, const Shape& shape,
                          const std::string& name, std::int64_t stride) {
    const auto& [elements, element_bytes, rule, moving] = shape;
    data::Outgoing array;
    array.spec = {name, "bytes", 1, element_bytes, elements, rule.name()};
    array.spec.moving = moving;
    array.before = partition_by(rule, elements, parties.sources.size());
    array.after = partition_by(rule, elements, parties.targets.size());
    for (std::size_t i = 0; i < parties.sources.size(); ++i) {
        if (parties.sources[i] != me) continue;
        array.old_part = data::make_block(array.spec, array.before, static_cast<int>(i));
        for_each_byte(array.old_part, element_bytes, stride,
                      [](unsigned char& byte, std::int64_t element, std::int64_t b) {
                          byte = expected(element, b);
                      });
    }
    return array;
}

// Bytes of a part that are not what they should be.
long wrong_bytes(const data::Block& part, const Shape& shape, std::int64_t stride) {
    long wrong = 0;
    for_each_byte(part, shape.element_bytes, stride,
                  [&](unsigned char byte, std::int64_t element, std::int64_t b) {
                      wrong += shape.does_move(b) && byte != expected(element, b);
                  });
    return wrong;
}

// Moves arrays of these shapes, and checks each stride-th element of the new parts. Returns the
// number of wrong bytes on this rank, plus 1 if bytes_new is wrong.
long move_once(How how, const mpi::Comm& comm, const data::Parties& parties,
               const std::vector<Shape>& shapes, std::int64_t stride = 1) {
    const core::Rank me{comm.rank()};
    std::vector<data::Outgoing> arrays;
    for (const auto& shape : shapes)
        arrays.push_back(make_array(me, parties, shape, std::to_string(arrays.size()), stride));
    const auto parts = data::allocate_parts(me, parties, arrays);
    const auto moved = move_by(how, comm, {parties, arrays, parts});
    long wrong = 0;
    std::int64_t bytes_new = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        bytes_new += parts[i].count * shapes[i].element_bytes;
        wrong += wrong_bytes(parts[i], shapes[i], stride);
    }
    return wrong + (moved.bytes_new == bytes_new ? 0 : 1);
}

// The same in slices of `window` bytes. Beside its old parts a rank needs memory only for one
// window, and for the bytes that its new parts are larger by.
long move_tight(plan::Executor executor, const mpi::Comm& comm, const data::Parties& parties,
                const std::vector<Shape>& shapes, std::int64_t window) {
    const core::Rank me{comm.rank()};
    std::vector<data::Outgoing> arrays;
    std::int64_t bytes_old = 0, bytes_new = 0;
    for (const auto& shape : shapes) {
        arrays.push_back(make_array(me, parties, shape, std::to_string(arrays.size()), 1));
        bytes_old += arrays.back().old_part.count * shape.element_bytes;
    }
    const auto parts = data::allocate_parts(me, parties, arrays);
    data::Progress progress;
    const auto once = [&](const data::Movement& slice) {
        auto redistribution = data::make_redistribution(executor, comm, slice, progress);
        redistribution.start();
        return redistribution.finish();
    };
    const auto moved = data::move_in_slices(once, comm, {parties, arrays, parts}, progress, window);
    long wrong = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        bytes_new += parts[i].count * shapes[i].element_bytes;
        wrong += wrong_bytes(parts[i], shapes[i], 1);
    }
    // A tolerance: a partly moved element departs with its last byte, and shares are whole bytes.
    std::int64_t uncut = 0;
    for (const auto& shape : shapes) uncut += 2 * std::int64_t{comm.size()} * shape.element_bytes;
    return wrong +
           (moved.bytes_new <= std::max(std::int64_t{0}, bytes_new - bytes_old) + window + uncut
                ? 0
                : 1);
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

long move_rows(plan::Executor executor, const mpi::Comm& comm, const data::Parties& parties,
               std::int64_t rows, const plan::Rule& rule, plan::Memory memory) {
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
    data::redistribute(executor, comm, {parties, {array}, parts, true, memory}, progress);
    long wrong = 0;
    for (std::int64_t i = 0; i < parts[0].count; ++i)
        wrong += data::bytes_of(array.spec, parts[0], i, 1) !=
                 4 * length_of(parts[0].partition->to_global(parts[0].part, i));
    if (wrong == 0)
        for_each_number(array.spec, parts[0],
                        [&](int number, int wanted) { wrong += number != wanted; });
    return wrong;
}

// An array whose old part is in far memory. It is filled through a copy.
data::Outgoing make_far_array(core::Rank me, const data::Parties& parties, const Shape& shape,
                              const data::Home& home) {
    auto array = make_array(me, parties, shape, "far", 1);
    array.home = home;
    if (!array.old_part.partition) return array;
    const auto near = array.old_part;
    array.old_part = data::make_block(array.spec, array.before, near.part, home);
    if (near.count > 0)
        home->copy_in(array.old_part.memory.get(), near.memory.get(),
                      static_cast<std::size_t>(near.count * shape.element_bytes));
    return array;
}

long move_far(plan::Executor executor, const mpi::Comm& comm, const data::Parties& parties,
              const Shape& shape) {
    const core::Rank me{comm.rank()};
    std::atomic<std::int64_t> in_use = 0;
    long wrong = 0;
    {
        const auto home = data::FarMemory::home(in_use);
        const std::vector arrays{make_far_array(me, parties, shape, home),
                                 make_array(me, parties, shape, "near", 1)};
        const auto parts = data::allocate_parts(me, parties, arrays);
        data::Progress progress;
        data::redistribute(executor, comm, {parties, arrays, parts, true}, progress);
        if (parts[0].count > 0) {
            wrong += data::is_far(parts[0]) ? 0 : 1;
            const auto near = data::make_block(arrays[0].spec, arrays[0].after, parts[0].part);
            home->copy_out(near.memory.get(), parts[0].memory.get(),
                           static_cast<std::size_t>(near.count * shape.element_bytes));
            for_each_byte(near, shape.element_bytes, 1,
                          [&](unsigned char byte, std::int64_t element, std::int64_t b) {
                              wrong += byte != expected(element, b);
                          });
        }
    }
    return wrong + (in_use == 0 ? 0 : 1);
}

// The bytes of the elements that this rank has both before and after.
std::int64_t kept_bytes(const data::Outgoing& array, const data::Block& part) {
    if (!array.old_part.partition || !part.partition) return 0;
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < part.count; ++i)
        kept += array.before->owner(part.partition->to_global(part.part, i)) == array.old_part.part;
    return kept * array.spec.element_bytes;
}

struct Copied {
    std::atomic<std::int64_t> out = 0, in = 0;
    void forget() { out = in = 0; }
};

// Memory of a device. MPI may access it directly only if mpi_can_access_cuda is set.
data::Home device_home(std::atomic<std::int64_t>& in_use, Copied& copied) {
    auto memory = data::FarMemory::memory(in_use);
    memory.device = Device::cuda;
    if (mpi_can_access_cuda) {
        memory.allocate = [allocate = memory.allocate](std::size_t bytes) {
            auto* made = allocate(bytes);
            ::mprotect(made, bytes, PROT_READ | PROT_WRITE);
            return made;
        };
        memory.copy_out = memory.copy_in = [](void* to, const void* from, std::size_t bytes) {
            std::memcpy(to, from, bytes);
        };
    }
    memory.copy_out = [&, copy = memory.copy_out](void* to, const void* from, std::size_t bytes) {
        copied.out += static_cast<std::int64_t>(bytes);
        copy(to, from, bytes);
    };
    memory.copy_in = [&, copy = memory.copy_in](void* to, const void* from, std::size_t bytes) {
        copied.in += static_cast<std::int64_t>(bytes);
        copy(to, from, bytes);
    };
    return std::make_shared<const ArrayMemory>(std::move(memory));
}

// If MPI can access the memory, the copy functions copy only the data that stays on its rank. If
// MPI cannot, or if sums are needed, they copy all data.
long move_on_device(plan::Executor executor, const mpi::Comm& comm, const data::Parties& parties,
                    bool can_access, bool verify) {
    mpi_can_access_cuda = can_access;
    const core::Rank me{comm.rank()};
    const Shape shape{5000, 24, plan::cyclic_rule(7)};
    std::atomic<std::int64_t> in_use = 0;
    Copied copied;
    long wrong = 0;
    {
        const auto home = device_home(in_use, copied);
        const std::vector arrays{make_far_array(me, parties, shape, home),
                                 make_array(me, parties, shape, "near", 1)};
        const auto parts = data::allocate_parts(me, parties, arrays);
        data::Progress progress;
        copied.forget();
        const auto moved =
            data::redistribute(executor, comm, {parties, arrays, parts, verify}, progress);
        const auto held = arrays[0].old_part.count * shape.element_bytes;
        const auto holds = parts[0].count * shape.element_bytes;
        const auto sent = moved.bytes_sent / 2;  // half of it for each array
        const bool is_direct = can_access && !verify;
        wrong += copied.out == (is_direct ? copied.in.load() : held) ? 0 : 1;
        wrong += copied.in == (is_direct ? kept_bytes(arrays[0], parts[0]) : holds) ? 0 : 1;
        wrong += sent <= held && wrong_bytes(parts[1], shape, 1) == 0 ? 0 : 1;
        if (parts[0].count > 0) {
            const auto near = data::make_block(arrays[0].spec, arrays[0].after, parts[0].part);
            home->copy_out(near.memory.get(), parts[0].memory.get(),
                           static_cast<std::size_t>(holds));
            wrong += wrong_bytes(near, shape, 1);
        }
    }
    mpi_can_access_cuda = false;
    return wrong + (in_use == 0 ? 0 : 1);
}

// Rank 0 sends all its data to rank 1, which never receives it. Memory that MPI may still read is
// not freed.
long give_up(plan::Executor executor, const mpi::Comm& all, bool by_throwing) {
    const auto comm = all.duplicate();  // not used again: a collective call may be open
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
        auto redistribution = data::make_redistribution(
            executor, comm,
            {{{core::Rank{0}}, {core::Rank{1}}}, {array}, std::vector<data::Block>(1)}, progress);
        redistribution.start();
        wrong += redistribution.test() ? 1 : 0;
        if (by_throwing) {
            progress.abandon();
            try {
                redistribution.finish();
            } catch (const data::Abandoned&) {
                threw = true;
            }
        } else {
            redistribution.abandon();
        }
    }
    return wrong + (memory.expired() ? 1 : 0) + (threw == by_throwing ? 0 : 1);
}

std::vector<plan::Executor> executors(int argc, char** argv) {
    if (argc > 2) return {plan::executor_named(argv[2]).value()};
    return {plan::all_executors.begin(), plan::all_executors.end()};
}

long move_beyond_2_31(plan::Executor executor, const mpi::Comm& comm) {
    const std::int64_t elements = (std::int64_t{1} << 31) + 12345;
    return move_once({executor}, comm, {ranks(1, 1), {core::Rank{1}}}, {{elements}}, 4099);
}

// Calls move(parties) for all pairs of sizes whose larger size is that of the communicator.
template <class Move>
long between_sizes(const mpi::Comm& comm, Move move) {
    const int n = comm.size();
    long wrong = 0;
    for (int other = 1; other <= n; ++other) {
        wrong += move(data::Parties{ranks(n, 1), ranks(other, 1)});
        if (other < n) wrong += move(data::Parties{ranks(other, 1), ranks(n, 1)});
    }
    return wrong;
}

long move_between_sizes(How how, const mpi::Comm& comm, const std::vector<Shape>& shapes) {
    return between_sizes(
        comm, [&](const data::Parties& parties) { return move_once(how, comm, parties, shapes); });
}

long move_all(plan::Executor executor, const mpi::Comm& comm) {
    const int n = comm.size();
    long wrong = move_between_sizes({executor, Look::by_tests}, comm, {{1000, 24}});
    for (const auto& shapes : std::vector<std::vector<Shape>>{
             {{5000, 24, {}, {{0, 8}, {16, 5}}}},
             {{0, 24}, {1, 24}, {7, 24}},
             {{100'000, 8}, {1000, 24, plan::cyclic_rule(3)}},
             {{1000, 24, {}, {{0, 8}, {16, 5}}}, {300, 7, plan::cyclic_rule(4), {{1, 3}}}},
             {{1000, 24, plan::dimension_rule({10, 100}, 1)},
              {1000, 24, plan::grid_rule({40, 25})}}})
        wrong += move_between_sizes({executor}, comm, shapes);
    for (const auto& [rows, rule] :
         {std::pair{0, plan::Rule()}, std::pair{1, plan::Rule()}, std::pair{100, plan::Rule()},
          std::pair{100, plan::cyclic_rule(3)}})
        wrong += between_sizes(comm, [&, rows = rows, rule = rule](const data::Parties& parties) {
            long wrong_rows = 0;
            for (const auto memory : plan::all_memories)
                wrong_rows += move_rows(executor, comm, parties, rows, rule, memory);
            return wrong_rows;
        });
    for (const auto& shape : std::vector<Shape>{{0, 8}, {2, 8}, {5000, 24, plan::cyclic_rule(7)}})
        wrong += between_sizes(comm, [&](const data::Parties& parties) {
            return move_far(executor, comm, parties, shape);
        });
    for (const auto& [can_access, verify] :
         {std::pair{false, false}, std::pair{true, false}, std::pair{true, true}})
        wrong +=
            between_sizes(comm, [&, can = can_access, sums = verify](const data::Parties& parties) {
                return move_on_device(executor, comm, parties, can, sums);
            });
    for (const auto& shapes : std::vector<std::vector<Shape>>{
             {{0, 24}, {1, 24}}, {{100'000, 8}, {3000, 24, plan::cyclic_rule(3)}}})
        wrong += between_sizes(comm, [&](const data::Parties& parties) {
            return move_tight(executor, comm, parties, shapes, 100'000);
        });
    // Targets that do not begin at rank 0: the root's group has left.
    if (n >= 3)
        wrong +=
            move_once({executor}, comm, {ranks(n, 1), {core::Rank{1}, core::Rank{2}}}, {{1000, 8}});
    if (n >= 2)
        for (const bool by_throwing : {false, true}) wrong += give_up(executor, comm, by_throwing);
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    long wrong = 0;
    {
        const auto comm = mpi::duplicate(MPI_COMM_WORLD);
        const bool is_large = argc > 1 && std::strcmp(argv[1], "large") == 0;
        for (const auto executor : executors(argc, argv))
            wrong += is_large ? move_beyond_2_31(executor, comm) : move_all(executor, comm);
        long all = 0;
        MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, comm.get());
        wrong = all;
        if (comm.rank() == 0) std::printf("%ld faults\n", all);
    }
    MPI_Finalize();
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
