#include "groups/rank_resolver.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace ductile::groups {

void RankResolver::on_register(tree::ProcessId from, GroupKey enrolment,
                               const tree::Register& entry, PacketOutbox& out) {
    tree::Outbox messages;
    directories_[enrolment.value].on_register(from, entry, messages);
    pack(enrolment, messages, out);
    ask_again(enrolment, out);
}

void RankResolver::on_forget(GroupKey enrolment, tree::Colour colour, int rank) {
    const auto at = directories_.find(enrolment.value);
    if (at == directories_.end()) return;
    const auto holder = at->second.holder(colour, rank);
    at->second.forget(colour, rank);
    if (at->second.empty()) directories_.erase(at);
    if (holder) forgotten_.add({enrolment, colour, rank}, *holder);
}

void RankResolver::open(GroupKey group, const tree::TreePosition& position, PacketOutbox& out) {
    live_.emplace(group.value, &position);
    ask_again(group, out);
}

void RankResolver::close(GroupKey group, const tree::TreePosition& position) {
    live_.erase(group.value);
    closed_.add(group.value, position);
}

void RankResolver::on_ask(GroupKey key, const Ask& ask, PacketOutbox& out) {
    if (!answer(key, ask, out)) waiting_.push_back({key, ask});
}

void RankResolver::ask_again(GroupKey key, PacketOutbox& out) {
    std::erase_if(waiting_, [&](const Waiting& waiting) {
        return waiting.key == key && answer(waiting.key, waiting.ask, out);
    });
}

namespace {

void send_answer(tree::ProcessId id, GroupKey key, const Ask& ask, PacketOutbox& out) {
    out.push_back({ask.asker, packet({PacketKind::answer, key}, std::array{ask.ticket, id.value})});
}

}  // namespace

bool RankResolver::answer(GroupKey key, const Ask& ask, PacketOutbox& out) {
    if (ask.by_tree) return answer_by_tree(key, ask, out);
    const auto id = holder({key, ask.colour, ask.rank});
    if (id) send_answer(*id, key, ask, out);
    return id.has_value();
}

std::optional<tree::ProcessId> RankResolver::holder(const Entry& entry) const {
    const auto at = directories_.find(entry.enrolment.value);
    if (at != directories_.end())
        if (const auto id = at->second.holder(entry.colour, entry.rank)) return id;
    const auto* const before = forgotten_.find(entry);
    return before != nullptr ? std::optional(*before) : std::nullopt;
}

bool RankResolver::answer_by_tree(GroupKey group, const Ask& ask, PacketOutbox& out) {
    const auto* const position = position_of(group);
    if (position == nullptr) return false;
    if (position->rank == ask.rank) {
        send_answer(self_, group, ask, out);
        return true;
    }
    Ask onwards = ask;
    onwards.down = ask.down || !position->parent;
    auto next = position->parent;
    if (onwards.down) {
        // The subtree of a child has the ranks from the child's own up to the one before the next
        // child's.
        const auto above =
            std::ranges::upper_bound(position->children, ask.rank, {}, &tree::Child::rank);
        if (above == position->children.begin()) return true;  // no member has this rank
        next = std::prev(above)->id;
    }
    out.push_back({*next, packet({PacketKind::ask, group}, to_words(onwards))});
    return true;
}

const tree::TreePosition* RankResolver::position_of(GroupKey group) const {
    if (const auto at = live_.find(group.value); at != live_.end()) return at->second;
    return closed_.find(group.value);
}

}  // namespace ductile::groups
