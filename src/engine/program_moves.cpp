#include "engine/program_moves.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/check_hook.hpp"
#include "engine/program_thrown.hpp"

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

// The progress of the calls that this thread makes.
thread_local const data::Progress* progress_of_calls = nullptr;

class WaitedFor {
  public:
    explicit WaitedFor(const data::Progress* progress) { progress_of_calls = progress; }
    ~WaitedFor() { progress_of_calls = nullptr; }
    WaitedFor(const WaitedFor&) = delete;
    WaitedFor& operator=(const WaitedFor&) = delete;
};

}  // namespace

bool program_move_is_abandoned() {
    return progress_of_calls != nullptr && progress_of_calls->abandoned();
}

Schema telling_moves(const Schema& schema, AgentChannel& link, core::TransactionId transaction) {
    Schema telling;
    if (schema.redistribute().empty()) return telling;
    const auto tell = [&link, transaction](bool on) {
        link.send(wire::ProgramMoves{transaction, on});
    };
    telling.on_redistribute([calls = schema.redistribute(), tell](const DataMove& move) {
        tell(true);
        try {
            for (const auto& redistribute : calls) redistribute(move);
        } catch (...) {
            tell(false);
            throw;
        }
        tell(false);
    });
    return telling;
}

void let_program_move(const Schema& schema, const mpi::Comm& comm, const data::Parties& parties,
                      const data::Progress* progress) {
    if (schema.redistribute().empty()) return;
    const auto move = to_data_move(comm, parties);
    const WaitedFor waited_for(progress);
    tell_check_of_loan(move.comm);
    try {
        for (const auto& redistribute : schema.redistribute()) redistribute(move);
    } catch (...) {
        throw_program_failed("the program's function that moves its own data");
    }
}

}  // namespace ductile::engine
