#include "redistribution/plain_alltoallv.hpp"

#include <cstring>
#include <limits>

#include "ductile/error.hpp"
#include "plan/transfer_plan.hpp"

namespace ductile::bench {

namespace {

// A piece of this rank's memory that is sent or received.
struct Piece {
    std::byte* memory = nullptr;
    std::int64_t bytes = 0;
};

using PiecesByPeer = std::vector<std::vector<Piece>>;

struct Side {
    PiecesByPeer pieces;
    std::vector<int> counts, displacements;
    std::byte* base = nullptr;
    std::unique_ptr<std::byte[]> packed;
};

void add(PiecesByPeer& pieces, core::Rank peer, const data::Outgoing& array,
         const data::Block& block, const plan::Transfer& transfer) {
    const auto local = block.partition->to_local(block.part, transfer.begin);
    pieces.at(static_cast<std::size_t>(peer.value))
        .push_back(
            {data::memory_at(array.spec, block, local), transfer.count * array.spec.element_bytes});
}

int to_count(std::int64_t bytes) {
    if (bytes > std::numeric_limits<int>::max())
        throw InputError("MPI_Alltoallv cannot count so many bytes of one rank");
    return static_cast<int>(bytes);
}

// Whether each peer has one piece at most, so that no data is packed.
bool is_in_place(const PiecesByPeer& pieces) {
    for (const auto& of_peer : pieces)
        if (of_peer.size() > 1) return false;
    return true;
}

Side side_of(PiecesByPeer pieces, std::byte* memory) {
    Side side;
    side.pieces = std::move(pieces);
    const bool in_place = is_in_place(side.pieces);
    std::int64_t total = 0;
    for (const auto& of_peer : side.pieces) {
        std::int64_t bytes = 0;
        for (const auto& piece : of_peer) bytes += piece.bytes;
        side.counts.push_back(to_count(bytes));
        side.displacements.push_back(
            to_count(in_place && !of_peer.empty() ? of_peer.front().memory - memory : total));
        total += bytes;
    }
    side.base = memory;
    if (!in_place) {
        side.packed.reset(new std::byte[static_cast<std::size_t>(total)]);
        side.base = side.packed.get();
    }
    return side;
}

template <class Copy>
void for_each_packed(const Side& side, Copy copy) {
    if (!side.packed) return;
    auto* at = side.packed.get();
    for (const auto& of_peer : side.pieces)
        for (const auto& piece : of_peer) {
            copy(at, piece);
            at += piece.bytes;
        }
}

int part_of(core::Rank me, const std::vector<core::Rank>& ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (ranks[i] == me) return static_cast<int>(i);
    return -1;
}

}  // namespace

data::Block move_by_plain_alltoallv(const mpi::Comm& comm, const data::Parties& parties,
                                    const data::Outgoing& array) {
    const core::Rank me{comm.rank()};
    const auto plan =
        plan::plan_transfer_of(me, *array.before, parties.sources, *array.after, parties.targets);
    data::Block made;
    if (const int part = part_of(me, parties.targets); part >= 0)
        made = data::make_block(array.spec, array.after, part);
    const auto ranks = static_cast<std::size_t>(comm.size());
    PiecesByPeer sent(ranks), received(ranks);
    for (const auto* list : {&plan.sent, &plan.kept})
        for (const auto& transfer : *list) {
            if (transfer.source == me) add(sent, transfer.target, array, array.old_part, transfer);
            if (transfer.target == me) add(received, transfer.source, array, made, transfer);
        }
    const auto from = side_of(std::move(sent), array.old_part.memory.get());
    const auto to = side_of(std::move(received), made.memory.get());
    for_each_packed(from, [](std::byte* packed, const Piece& piece) {
        std::memcpy(packed, piece.memory, static_cast<std::size_t>(piece.bytes));
    });
    mpi::check(
        MPI_Alltoallv(from.base, from.counts.data(), from.displacements.data(), MPI_BYTE, to.base,
                      to.counts.data(), to.displacements.data(), MPI_BYTE, comm.get()),
        "MPI_Alltoallv");
    for_each_packed(to, [](std::byte* packed, const Piece& piece) {
        std::memcpy(piece.memory, packed, static_cast<std::size_t>(piece.bytes));
    });
    return made;
}

}  // namespace ductile::bench
