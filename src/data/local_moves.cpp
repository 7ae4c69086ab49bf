#include "data/local_moves.hpp"

#include <algorithm>

#include "plan/transfer_plan.hpp"

namespace ductile::data {

namespace {

void add_pieces(std::vector<Piece>& pieces, core::Rank peer, std::byte* begin, std::int64_t bytes,
                std::int64_t piece_bytes) {
    for (std::int64_t done = 0; done < bytes; done += piece_bytes)
        pieces.push_back(
            {peer, begin + done, static_cast<int>(std::min(piece_bytes, bytes - done))});
}

}  // namespace

LocalMoves local_moves(core::Rank me, const Parties& parties, const std::vector<Outgoing>& arrays,
                       const std::vector<Block>& new_parts, std::int64_t piece_bytes) {
    LocalMoves moves;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto& spec = arrays[i].spec;
        const auto& old_part = arrays[i].old_part;
        const auto& new_part = new_parts[i];
        const plan::BlockDistribution from{spec.elements, static_cast<int>(parties.sources.size())};
        const plan::BlockDistribution to{spec.elements, static_cast<int>(parties.targets.size())};
        const auto mine = plan::plan_transfer_of(me, from, parties.sources, to, parties.targets);
        const auto at = [&spec](const Block& block, std::int64_t element) {
            return block.memory.get() + (element - block.offset) * spec.element_bytes;
        };
        moves.moved.bytes_new += new_part.count * spec.element_bytes;
        for (const auto& t : mine.sent) {
            const std::int64_t bytes = t.count * spec.element_bytes;
            if (t.target == me) {
                add_pieces(moves.received, t.source, at(new_part, t.begin), bytes, piece_bytes);
            } else {
                moves.moved.bytes_sent += bytes;
                add_pieces(moves.sent, t.target, at(old_part, t.begin), bytes, piece_bytes);
            }
        }
        for (const auto& t : mine.kept)
            moves.kept.push_back({at(new_part, t.begin), at(old_part, t.begin),
                                  static_cast<std::size_t>(t.count * spec.element_bytes)});
    }
    return moves;
}

}  // namespace ductile::data
