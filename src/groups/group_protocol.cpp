#include "groups/group_protocol.hpp"

#include <array>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "ductile/error.hpp"
#include "tree/message_words.hpp"

namespace ductile::groups {

void GroupProtocol::on_packet(const Packet& packet, PacketOutbox& out) {
    try {
        act_on(packet, out);
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throw SystemError("process " + std::to_string(packet.from.value) + " sent process " +
                          std::to_string(self_.value) +
                          " an impossible message about a process group: " + error.what());
    }
}

void GroupProtocol::act_on(const Packet& packet, PacketOutbox& out) {
    const auto header = header_of(packet.words);
    if (!header) throw std::invalid_argument("a packet of an unknown kind");
    const auto rest = std::span(packet.words).subspan(header_words);
    switch (header->kind) {
        case PacketKind::build:
            on_build(packet.from, header->key, rest, out);
            break;
        case PacketKind::forget:
            if (rest.size() == 2) resolver_.on_forget(header->key, tree::Colour{rest[0]}, rest[1]);
            break;
        case PacketKind::ask:
            if (const auto ask = ask_from(rest)) resolver_.on_ask(header->key, *ask, out);
            break;
        case PacketKind::answer:
            if (rest.size() == 2) queries_.on_answer(rest[0], tree::ProcessId{rest[1]});
            break;
    }
}

void GroupProtocol::on_build(tree::ProcessId from, GroupKey key,
                             std::span<const std::int32_t> words, PacketOutbox& out) {
    auto message = tree::from_words(words);
    if (const auto* const entry = std::get_if<tree::Register>(&message))
        resolver_.on_register(from, key, *entry, out);
    else
        enrolments_.on_message(from, key, std::move(message), out);
}

void GroupProtocol::enrol(Enrolling what, PacketOutbox& out) {
    // A label is in use only after its group is open. So two groups that are made at the same time
    // could get the same label.
    if (enrolments_.is_any_awaited())
        throw UsageError(
            "two threads of a process make process groups at the same time; only one may");
    tree::LabelSet labels;
    if (what.own) {
        labels = labels_;
        if (what.also_in_use > 0) labels.insert(what.also_in_use);
    }
    enrolments_.begin(what.key,
                      {what.method, std::move(what.position), what.own, hashes_of(what.key)},
                      labels, out);
}

void GroupProtocol::open(const GroupName& group, const tree::TreePosition& position,
                         PacketOutbox& out) {
    labels_.insert(position.label);
    if (position.numbering == tree::Numbering::preorder) resolver_.open(group.key(), position, out);
}

void GroupProtocol::close(const GroupName& group, const tree::TreePosition& position,
                          PacketOutbox& out) {
    labels_.erase(position.label);
    queries_.forget(group.key());
    if (position.numbering == tree::Numbering::preorder)
        return resolver_.close(group.key(), position);
    out.push_back({hashes_of(group.enrolment).of(group.colour)(position.rank),
                   packet({PacketKind::forget, group.enrolment},
                          std::array{group.colour.value, position.rank})});
}

int GroupProtocol::ask(const GroupName& group, const tree::TreePosition& position, int rank,
                       PacketOutbox& out) {
    Ask ask{group.colour, rank, self_, queries_.open_ticket(), false, false};
    if (position.numbering == tree::Numbering::by_level) {
        out.push_back({hashes_of(group.enrolment).of(group.colour)(rank),
                       packet({PacketKind::ask, group.enrolment}, to_words(ask))});
    } else {
        ask.by_tree = true;
        out.push_back({self_, packet({PacketKind::ask, group.key()}, to_words(ask))});
    }
    return ask.ticket;
}

std::optional<tree::ProcessId> GroupProtocol::take_answer(int question, const GroupName& group,
                                                          int rank) {
    const auto answer = queries_.close_ticket(question);
    if (answer) queries_.remember(group.key(), rank, *answer);
    return answer;
}

tree::HashFamily GroupProtocol::hashes_of(GroupKey enrolment) const {
    return {size_, static_cast<int>(enrolment.value % static_cast<std::uint64_t>(size_))};
}

}  // namespace ductile::groups
