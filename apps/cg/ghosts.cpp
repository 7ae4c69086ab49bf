#include "cg/ghosts.hpp"

#include <algorithm>
#include <numeric>

namespace cg {

namespace {

// The columns of `entries` that belong to other ranks, in rising order, each once.
std::vector<std::int64_t> foreign_columns(std::span<const Entry> entries, const Block& mine) {
    std::vector<std::int64_t> columns;
    for (const auto& entry : entries)
        if (entry.column < mine.begin || entry.column >= mine.end) columns.push_back(entry.column);
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

std::vector<int> starts_of(const std::vector<int>& counts) {
    std::vector<int> starts(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
    return starts;
}

}  // namespace

Ghosts::Ghosts(MPI_Comm comm, std::span<const Block> blocks, std::span<const Entry> entries)
    : comm_(comm), sends_(blocks.size()), receives_(blocks.size()) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const auto& mine = blocks[static_cast<std::size_t>(rank)];
    mine_ = static_cast<std::size_t>(mine.count());
    const auto wanted = foreign_columns(entries, mine);
    for (std::size_t owner = 0; owner < blocks.size(); ++owner) {
        const auto first = std::ranges::lower_bound(wanted, blocks[owner].begin);
        const auto last = std::ranges::lower_bound(wanted, blocks[owner].end);
        receives_[owner] = blocks[owner].count() > 0 ? static_cast<int>(last - first) : 0;
    }
    MPI_Alltoall(receives_.data(), 1, MPI_INT, sends_.data(), 1, MPI_INT, comm);
    recv_starts_ = starts_of(receives_), send_starts_ = starts_of(sends_);
    to_send_.resize(static_cast<std::size_t>(send_starts_.back()) +
                    static_cast<std::size_t>(sends_.back()));
    MPI_Alltoallv(wanted.data(), receives_.data(), recv_starts_.data(), MPI_INT64_T,
                  to_send_.data(), sends_.data(), send_starts_.data(), MPI_INT64_T, comm);
    for (auto& column : to_send_) column -= mine.begin;
    packed_.resize(to_send_.size());
    values_.resize(mine_ + wanted.size());
    for (const auto& entry : entries) {
        const bool is_mine = entry.column >= mine.begin && entry.column < mine.end;
        const auto ghost = std::ranges::lower_bound(wanted, entry.column) - wanted.begin();
        places_.push_back(is_mine ? entry.column - mine.begin
                                  : static_cast<std::int64_t>(mine_) + ghost);
    }
}

void Ghosts::exchange(std::span<const double> mine) {
    std::ranges::copy(mine, values_.begin());
    std::ranges::transform(to_send_, packed_.begin(), [mine](std::int64_t place) {
        return mine[static_cast<std::size_t>(place)];
    });
    MPI_Alltoallv(packed_.data(), sends_.data(), send_starts_.data(), MPI_DOUBLE,
                  values_.data() + mine_, receives_.data(), recv_starts_.data(), MPI_DOUBLE, comm_);
}

}  // namespace cg
