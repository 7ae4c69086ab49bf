#include "data/local_moves.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ductile::data {

namespace {

// The packets between this rank and each other rank, in the order of the transfers. The end of a
// packet depends only on the bytes of the transfers, so both ranks end it at the same place.
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

  private:
    Packet& packet_to(core::Rank peer) {
        const auto found = open_.find(peer);
        if (found != open_.end()) {
            auto& packet = packets_[found->second];
            if (packet.bytes < std::min(limits_.bytes, limits_.together) &&
                packet.segments.size() < limits_.segments)
                return packet;
        }
        open_[peer] = packets_.size();
        return packets_.emplace_back(Packet{peer, {}, 0});
    }

    std::vector<Packet>& packets_;
    const PacketLimits& limits_;
    std::map<core::Rank, std::size_t> open_;  ///< for each peer: the packet that may get more
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

/// The number of bytes of a transfer that are sent.
std::int64_t bytes_moving(const ArraySpec& spec, const Block& block,
                          const plan::Transfer& transfer) {
    return spec.moving.empty() ? bytes_in(spec, block, transfer)
                               : transfer.count * moving_bytes(spec);
}

/// For elements that move in part: calls visit(memory, bytes) for each piece of the bytes `which`.
/// `which` counts only bytes that move, from the first element on.
template <class Visit>
void for_each_moving(const ArraySpec& spec, std::byte* memory, Range which, Visit visit) {
    const auto of_one = moving_bytes(spec);
    for (auto element = which.begin / of_one; element * of_one < which.end; ++element) {
        auto first = element * of_one;  // where the stretch begins, counted as `which`
        for (const auto& stretch : spec.moving) {
            const auto begin = std::max(which.begin, first);
            const auto end = std::min(which.end, first + stretch.bytes);
            if (begin < end)
                visit(memory + element * spec.element_bytes + stretch.offset + begin - first,
                      end - begin);
            first += stretch.bytes;
        }
    }
}

/// The moves of one array.
class ArrayMoves {
  public:
    ArrayMoves(core::Rank me, const Outgoing& array, const Block& new_part, plan::Slice slice)
        : me_(me),
          spec_(array.spec),
          old_part_(array.old_part),
          new_part_(new_part),
          slice_(slice),
          cutter_(slice) {}

    void announce(const plan::TransferPlan& mine) {
        for (const auto& t : mine.sent)
            cutter_.announce(t.source, t.target, bytes_moving(spec_, part_of(t), t));
        for (const auto& t : mine.kept)
            cutter_.announce(t.source, t.target, bytes_in(spec_, old_part_, t));
    }

    void send_or_receive(const plan::Transfer& t, Packing& sent, Packing& received,
                         LocalMoves& moves) {
        const auto& part = part_of(t);
        const auto which = cutter_.cut(t.source, t.target, bytes_moving(spec_, part, t));
        if (which.begin == which.end) return;
        const bool comes = t.target == me_;
        put(comes ? received : sent, comes ? t.source : t.target, at(spec_, part, t), which);
        if (comes) return;
        moves.moved.bytes_sent += which.end - which.begin;
        if (spec_.moving.empty()) return depart(at(spec_, part, t), which, moves);
        const auto of_one = moving_bytes(spec_);  // an element departs with its last byte
        depart(
            at(spec_, part, t),
            {which.begin / of_one * spec_.element_bytes, which.end / of_one * spec_.element_bytes},
            moves);
    }

    void keep(const plan::Transfer& t, LocalMoves& moves) {
        const auto which = cutter_.cut(t.source, t.target, bytes_in(spec_, old_part_, t));
        if (which.begin == which.end) return;
        moves.kept.push_back({at(spec_, new_part_, t) + which.begin,
                              at(spec_, old_part_, t) + which.begin,
                              static_cast<std::size_t>(which.end - which.begin),
                              is_far(old_part_) ? old_part_.home : nullptr});
        depart(at(spec_, old_part_, t), which, moves);
    }

  private:
    [[nodiscard]] const Block& part_of(const plan::Transfer& t) const {
        return t.target == me_ ? new_part_ : old_part_;
    }
    void put(Packing& packing, core::Rank peer, std::byte* memory, Range which) const {
        if (spec_.moving.empty())
            return packing.add(peer, memory + which.begin, which.end - which.begin);
        for_each_moving(spec_, memory, which, [&](std::byte* begin, std::int64_t bytes) {
            packing.add(peer, begin, bytes);
        });
    }
    void depart(const std::byte* memory, Range which, LocalMoves& moves) const {
        if (slice_.of > 1 && which.begin < which.end)
            moves.departed.push_back(
                {memory + which.begin, static_cast<std::size_t>(which.end - which.begin)});
    }

    const core::Rank me_;
    const ArraySpec& spec_;
    const Block& old_part_;
    const Block& new_part_;
    const plan::Slice slice_;
    plan::SliceCutter cutter_;
};

}  // namespace

Plans plans_of(core::Rank me, const Parties& parties, const std::vector<Outgoing>& arrays) {
    Plans plans;
    for (const auto& array : arrays)
        plans.push_back(plan::plan_transfer_of(me, *array.before, parties.sources, *array.after,
                                               parties.targets));
    return plans;
}

LocalMoves local_moves(core::Rank me, const Plans& plans, const std::vector<Outgoing>& arrays,
                       const std::vector<Block>& new_parts, plan::Slice slice,
                       const PacketLimits& limits) {
    LocalMoves moves;
    Packing received(moves.received, limits), sent(moves.sent, limits);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto& new_part = new_parts[i];
        if (new_part.partition)
            moves.moved.bytes_new += bytes_of(arrays[i].spec, new_part, 0, new_part.count);
        ArrayMoves array(me, arrays[i], new_part, slice);
        array.announce(plans[i]);
        for (const auto& t : plans[i].sent) array.send_or_receive(t, sent, received, moves);
        for (const auto& t : plans[i].kept) array.keep(t, moves);
    }
    return moves;
}

}  // namespace ductile::data
