#include "engine/program_moves.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/check_hook.hpp"

namespace ductile::engine {

namespace {

std::vector<int> to_numbers(const std::vector<core::Rank>& ranks) {
    std::vector<int> numbers;
    for (const auto rank : ranks) numbers.push_back(rank.value);
    return numbers;
}

int place_of(int rank, const std::vector<int>& in) {
    const auto found = std::ranges::find(in, rank);
    return found == in.end() ? -1 : static_cast<int>(found - in.begin());
}

DataMove to_data_move(const mpi::Comm& comm, const data::Parties& parties) {
    DataMove move;
    move.comm = comm.get();
    move.rank = comm.rank();
    move.sources = to_numbers(parties.sources);
    move.targets = to_numbers(parties.targets);
    move.rank_before = place_of(move.rank, move.sources);
    move.rank_after = place_of(move.rank, move.targets);
    return move;
}

}  // namespace

void let_program_move(const Schema& schema, const mpi::Comm& comm, const data::Parties& parties) {
    if (schema.redistribute().empty()) return;
    const auto move = to_data_move(comm, parties);
    tell_check_of_loan(move.comm);
    try {
        for (const auto& redistribute : schema.redistribute()) redistribute(move);
    } catch (const std::exception& error) {
        throw ProgramFailed(std::string("what the program does to move its own data failed: ") +
                            error.what());
    }
}

}  // namespace ductile::engine
