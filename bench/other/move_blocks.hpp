// Moves the blocks of an array from the first ranks of a communicator to all of its ranks by
// MPI_Alltoallv, as a program without Ductile would do. Plain MPI calls.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace ductile::bench {

/// Elements begin .. end-1.
struct BlockRange {
    long begin = 0, end = 0;
};

/// Block `part` of `parts`. The first `elements % parts` blocks have one element more.
inline BlockRange block_of(long elements, int parts, int part) {
    const long each = elements / parts, more = elements % parts;
    const auto begin = [&](long p) { return p * each + std::min(p, more); };
    return {begin(part), begin(part + 1)};
}

/// `old_part`: the block of this rank, if it is a source. Returns its new block. Collective.
inline std::vector<double> move_blocks(MPI_Comm all, int sources, long elements,
                                       const std::vector<double>& old_part) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    const auto places = static_cast<std::size_t>(size);
    std::vector<int> sent(places), sent_at(places), got(places), got_at(places);
    const auto overlap = [](const BlockRange& one, const BlockRange& other, const BlockRange& in,
                            int& count, int& at) {
        const long begin = std::max(one.begin, other.begin), end = std::min(one.end, other.end);
        count = static_cast<int>(std::max(0L, end - begin));
        at = count > 0 ? static_cast<int>(begin - in.begin) : 0;
    };
    const auto mine_after = block_of(elements, size, rank);
    for (std::size_t peer = 0; peer < places; ++peer) {
        const int p = static_cast<int>(peer);
        if (rank < sources) {
            const auto mine = block_of(elements, sources, rank);
            overlap(mine, block_of(elements, size, p), mine, sent[peer], sent_at[peer]);
        }
        if (p < sources)
            overlap(mine_after, block_of(elements, sources, p), mine_after, got[peer],
                    got_at[peer]);
    }
    std::vector<double> part(static_cast<std::size_t>(mine_after.end - mine_after.begin));
    MPI_Alltoallv(old_part.data(), sent.data(), sent_at.data(), MPI_DOUBLE, part.data(), got.data(),
                  got_at.data(), MPI_DOUBLE, all);
    return part;
}

}  // namespace ductile::bench
