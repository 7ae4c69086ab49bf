// The content of the packets of a group space: a kind, the group or enrolment that the packet is
// about, and words that depend on the kind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "groups/group_key.hpp"
#include "tree/messages.hpp"

namespace ductile::groups {

enum class PacketKind : std::int32_t {
    build,   ///< a message of an enrolment (src/tree)
    forget,  ///< to H(rank) (tree/rank_hash.hpp): the member with that rank has closed the group
    ask,     ///< which process has a rank?
    answer,  ///< the answer: the process
};

/// A packet that has come.
struct Packet {
    tree::ProcessId from;
    std::vector<std::int32_t> words;
};

/// A packet to send.
struct SentPacket {
    tree::ProcessId to;
    std::vector<std::int32_t> words;
};
/// The packets that a step of a state machine sends, in this order.
using PacketOutbox = std::vector<SentPacket>;

/// A question under way: to H(rank), or along the tree of the group.
struct Ask {
    tree::Colour colour;
    int rank = 0;
    tree::ProcessId asker;
    int ticket = 0;  ///< the asker's number of the question; the answer has the same
    /// Whether the question goes along the tree of a group. Then the key of its packet names this
    /// group. Otherwise it goes to H(rank), and the key names an enrolment.
    bool by_tree = false;
    /// With `by_tree`: the question has passed the root. The rank, if a member has it, is at or
    /// below the receiver.
    bool down = false;
};

struct Header {
    PacketKind kind = PacketKind::build;
    GroupKey key;
};

inline constexpr std::size_t header_words = 3;

inline std::vector<std::int32_t> packet(const Header& header, std::span<const std::int32_t> words) {
    std::vector<std::int32_t> all;
    all.reserve(header_words + words.size());
    all.assign({static_cast<std::int32_t>(header.kind),
                static_cast<std::int32_t>(header.key.value >> 32U),
                static_cast<std::int32_t>(header.key.value & 0xFFFFFFFFU)});
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

/// The header; nullopt if the words are not a packet.
inline std::optional<Header> header_of(std::span<const std::int32_t> words) {
    if (words.size() < header_words || words[0] < 0 ||
        words[0] > static_cast<std::int32_t>(PacketKind::answer))
        return std::nullopt;
    return Header{static_cast<PacketKind>(words[0]),
                  {std::uint64_t{static_cast<std::uint32_t>(words[1])} << 32U |
                   static_cast<std::uint32_t>(words[2])}};
}

inline std::vector<std::int32_t> to_words(const Ask& ask) {
    return {ask.colour.value,    ask.rank,        ask.asker.value, ask.ticket,
            ask.by_tree ? 1 : 0, ask.down ? 1 : 0};
}

inline std::optional<Ask> ask_from(std::span<const std::int32_t> words) {
    if (words.size() != 6) return std::nullopt;
    return Ask{tree::Colour{words[0]}, words[1],     tree::ProcessId{words[2]}, words[3],
               words[4] != 0,          words[5] != 0};
}

/// The messages of an enrolment, as packets.
void pack(GroupKey enrolment, const tree::Outbox& messages, PacketOutbox& out);

}  // namespace ductile::groups
