#include "groups/packets.hpp"

#include "tree/message_words.hpp"

namespace ductile::groups {

void pack(GroupKey enrolment, const tree::Outbox& messages, PacketOutbox& out) {
    for (const auto& [to, message] : messages)
        out.push_back({to, packet({PacketKind::build, enrolment}, tree::to_words(message))});
}

}  // namespace ductile::groups
