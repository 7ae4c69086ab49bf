#include "cg/scatter_matrix.hpp"

#include <algorithm>

namespace cg {

namespace {

constexpr int tag = 1;
// MPI counts with int, so long parts are sent in pieces.
constexpr std::int64_t entries_a_message = std::int64_t{1} << 24;

int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

int bytes_of(std::span<const Entry> entries) {
    return static_cast<int>(entries.size_bytes());
}

template <class Span, class Do>
void by_pieces(Span entries, Do what) {
    while (!entries.empty()) {
        const auto length = std::min(entries.size(), static_cast<std::size_t>(entries_a_message));
        what(entries.first(length));
        entries = entries.subspan(length);
    }
}

}  // namespace

std::vector<std::int64_t> share_starts(MPI_Comm comm, const SparseMatrix& matrix) {
    auto starts = rank_in(comm) == 0 ? matrix.starts : std::vector<std::int64_t>();
    auto count = static_cast<long long>(starts.size());
    MPI_Bcast(&count, 1, MPI_LONG_LONG, 0, comm);
    starts.resize(static_cast<std::size_t>(count));
    std::int64_t* const all = starts.data();
    MPI_Bcast(all, static_cast<int>(count), MPI_INT64_T, 0, comm);
    return starts;
}

std::vector<std::int64_t> lengths_of(const std::vector<std::int64_t>& starts, const Block& block) {
    std::vector<std::int64_t> lengths;
    for (auto row = block.begin; row < block.end; ++row) {
        const auto at = static_cast<std::size_t>(row);
        lengths.push_back(starts[at + 1] - starts[at]);
    }
    return lengths;
}

std::vector<Block> share_blocks(MPI_Comm comm, const Block& mine) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    std::vector<Block> blocks(static_cast<std::size_t>(size));
    MPI_Allgather(&mine, 2, MPI_INT64_T, blocks.data(), 2, MPI_INT64_T, comm);
    return blocks;
}

void scatter_matrix(MPI_Comm comm, const SparseMatrix& matrix, std::span<const Block> blocks,
                    std::span<Entry> mine) {
    if (rank_in(comm) != 0) {
        by_pieces(mine, [&](std::span<Entry> piece) {
            MPI_Recv(piece.data(), bytes_of(piece), MPI_BYTE, 0, tag, comm, MPI_STATUS_IGNORE);
        });
        return;
    }
    const auto start = [&](std::int64_t row) {
        return static_cast<std::size_t>(matrix.starts[static_cast<std::size_t>(row)]);
    };
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
        if (blocks[rank].count() == 0) continue;
        const auto begin = start(blocks[rank].begin);
        const auto part = std::span(matrix.entries).subspan(begin, start(blocks[rank].end) - begin);
        if (rank == 0)
            std::ranges::copy(part, mine.begin());
        else
            by_pieces(part, [&](std::span<const Entry> piece) {
                MPI_Send(piece.data(), bytes_of(piece), MPI_BYTE, static_cast<int>(rank), tag,
                         comm);
            });
    }
}

}  // namespace cg
