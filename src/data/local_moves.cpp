#include "data/local_moves.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ductile::data {

namespace {

// The packets between this rank and each other one, in the order of the transfers. Where a packet
// ends depends only on the transfers' bytes, so that both ranks end it at the same place.
class Packing {
  public:
    Packing(std::vector<Packet>& packets, const PacketLimits& limits)
        : packets_(packets), limits_(limits) {}

    void add(core::Rank peer, std::byte* memory, std::int64_t bytes) {
        const bool alone = bytes >= limits_.alone_from;
        if (alone) open_.erase(peer);
        while (bytes > 0) {
            auto& packet = packet_to(peer);
            const auto part = std::min(bytes, limits_.bytes - packet.bytes);
            packet.segments.push_back({memory, static_cast<int>(part)});
            packet.bytes += static_cast<int>(part);
            memory += part;
            bytes -= part;
        }
        if (alone) open_.erase(peer);
    }

    /// These bytes of each element.
    void add(core::Rank peer, std::byte* memory, std::int64_t elements, const ArraySpec& spec) {
        for (std::int64_t i = 0; i < elements; ++i)
            for (const auto& stretch : spec.moving)
                add(peer, memory + i * spec.element_bytes + stretch.offset, stretch.bytes);
    }

  private:
    Packet& packet_to(core::Rank peer) {
        const auto found = open_.find(peer);
        if (found != open_.end()) {
            auto& packet = packets_[found->second];
            if (packet.bytes < limits_.bytes && packet.segments.size() < limits_.segments)
                return packet;
        }
        open_[peer] = packets_.size();
        return packets_.emplace_back(Packet{peer, {}, 0});
    }

    std::vector<Packet>& packets_;
    const PacketLimits& limits_;
    std::map<core::Rank, std::size_t> open_;  ///< the packet that may get more, of each peer
};

std::int64_t local(const Block& block, std::int64_t element) {
    return block.partition->to_local(block.part, element);
}

std::byte* at(const ArraySpec& spec, const Block& block, const plan::Transfer& transfer) {
    return memory_at(spec, block, local(block, transfer.begin));
}

std::int64_t bytes_in(const ArraySpec& spec, const Block& block, const plan::Transfer& transfer) {
    return bytes_of(spec, block, local(block, transfer.begin), transfer.count);
}

}  // namespace

LocalMoves local_moves(core::Rank me, const Parties& parties, const std::vector<Outgoing>& arrays,
                       const std::vector<Block>& new_parts, plan::Slice slice,
                       const PacketLimits& limits) {
    LocalMoves moves;
    Packing received(moves.received, limits), sent(moves.sent, limits);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto& spec = arrays[i].spec;
        const auto& old_part = arrays[i].old_part;
        const auto& new_part = new_parts[i];
        const auto mine =
            plan::slice_of(plan::plan_transfer_of(me, *arrays[i].before, parties.sources,
                                                  *arrays[i].after, parties.targets),
                           slice);
        if (new_part.partition)
            moves.moved.bytes_new += bytes_of(spec, new_part, 0, new_part.count);
        const auto add = [&spec = spec](Packing& packing, core::Rank peer, const Block& part,
                                        const plan::Transfer& t) {
            if (!spec.moving.empty()) return packing.add(peer, at(spec, part, t), t.count, spec);
            packing.add(peer, at(spec, part, t), bytes_in(spec, part, t));
        };
        for (const auto& t : mine.sent) {
            if (t.target == me) {
                add(received, t.source, new_part, t);
            } else {
                add(sent, t.target, old_part, t);
                moves.moved.bytes_sent += spec.moving.empty() ? bytes_in(spec, old_part, t)
                                                              : t.count * moving_bytes(spec);
            }
        }
        for (const auto& t : mine.kept)
            if (const auto bytes = bytes_in(spec, old_part, t); bytes > 0)
                moves.kept.push_back({at(spec, new_part, t), at(spec, old_part, t),
                                      static_cast<std::size_t>(bytes)});
    }
    return moves;
}

}  // namespace ductile::data
