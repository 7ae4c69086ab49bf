#include <algorithm>
#include <cstring>

#include "data/redistribute.hpp"
#include "plan/transfer_plan.hpp"

namespace ductile::data {

namespace {

constexpr std::int64_t piece_bytes = std::int64_t{64} << 20;
constexpr int array_tag = 0x0d0c;

using core::Rank;

// Requests of one redistribution; none is left behind when an exception passes (they are freed, not
// waited for: the peer may be dead, and the buffers are held by shared ownership).
class Requests {
  public:
    MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

    void wait_all(Progress& progress) {
        for (std::size_t left = requests_.size(); left > 0; --left) {
            int which = MPI_UNDEFINED;
            mpi::check(MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &which,
                                   MPI_STATUS_IGNORE),
                       "MPI_Waitany");
            progress.step();
        }
    }

  private:
    std::vector<MPI_Request> requests_;
};

// Calls f(bytes, offset) for each piece of a range.
template <class F>
void in_pieces(std::int64_t bytes, F f) {
    for (std::int64_t done = 0; done < bytes; done += piece_bytes)
        f(static_cast<int>(std::min(piece_bytes, bytes - done)), done);
}

int part_of(const std::vector<Rank>& ranks, Rank rank) {
    const auto it = std::lower_bound(ranks.begin(), ranks.end(), rank);
    return it != ranks.end() && *it == rank ? static_cast<int>(it - ranks.begin()) : -1;
}

}  // namespace

std::vector<Block> allocate_parts(Rank me, const Parties& parties,
                                  const std::vector<Outgoing>& arrays) {
    const int part = part_of(parties.targets, me);
    std::vector<Block> parts(arrays.size());
    if (part < 0) return parts;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto& spec = arrays[i].spec;
        const plan::BlockDistribution to{spec.elements, static_cast<int>(parties.targets.size())};
        parts[i] = make_block(spec, to.begin(part), to.count(part));
    }
    return parts;
}

Moved redistribute_p2p(const mpi::Comm& comm, const Parties& parties,
                       const std::vector<Outgoing>& arrays, const std::vector<Block>& new_parts,
                       Progress& progress) {
    const Rank me{comm.rank()};
    Moved moved;
    Requests requests;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto& spec = arrays[i].spec;
        const plan::BlockDistribution from{spec.elements, static_cast<int>(parties.sources.size())};
        const plan::BlockDistribution to{spec.elements, static_cast<int>(parties.targets.size())};
        const auto mine = plan::plan_transfer_of(me, from, parties.sources, to, parties.targets);
        const auto at = [&spec](const Block& block, std::int64_t element) {
            return block.memory.get() + (element - block.offset) * spec.element_bytes;
        };
        moved.bytes_new += new_parts[i].count * spec.element_bytes;
        for (const auto& t : mine.sent) {
            const bool receives = t.target == me;
            std::byte* memory =
                receives ? at(new_parts[i], t.begin) : at(arrays[i].old_part, t.begin);
            const std::int64_t bytes = t.count * spec.element_bytes;
            if (!receives) moved.bytes_sent += bytes;
            in_pieces(bytes, [&](int n, std::int64_t done) {
                if (receives)
                    mpi::check(MPI_Irecv(memory + done, n, MPI_BYTE, t.source.value, array_tag,
                                         comm.get(), requests.add()),
                               "MPI_Irecv");
                else
                    mpi::check(MPI_Isend(memory + done, n, MPI_BYTE, t.target.value, array_tag,
                                         comm.get(), requests.add()),
                               "MPI_Isend");
            });
        }
        for (const auto& t : mine.kept) {
            std::memcpy(at(new_parts[i], t.begin), at(arrays[i].old_part, t.begin),
                        static_cast<std::size_t>(t.count * spec.element_bytes));
            progress.step();
        }
    }
    requests.wait_all(progress);
    return moved;
}

}  // namespace ductile::data
