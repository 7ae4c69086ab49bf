// Letters of a group space: those that build groups, and questions about ranks.
#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "groups/group_space.hpp"
#include "tree/message_words.hpp"

namespace ductile::groups {

namespace {

/// Answers that are kept; a process that asks for more asks again.
constexpr std::size_t most_known = 4096;
/// How long one waits for an answer: a member may be in the midst of a long computation, but its
/// helper is not.
constexpr std::chrono::seconds answer_within{60};

}  // namespace

tree::ProcessId GroupSpace::holder(GroupKey enrolment, tree::Colour colour, const tree::Seat& seat,
                                   int rank) {
    if (enrolment == root_key_) return tree::ProcessId{rank};  // the group of all
    if (rank == seat.rank) return self_;
    for (const auto& child : seat.children)
        if (child.rank == rank) return child.id;
    require_live();
    const auto group = enrolment.next(static_cast<std::uint32_t>(colour.value));
    std::unique_lock lock(mutex_);
    const std::pair name{group, rank};
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    Ask ask;
    ask.colour = colour;
    ask.rank = rank;
    ask.asker = self_;
    ask.ticket = next_ticket_++;
    auto& answer = answers_[ask.ticket];
    if (seat.numbering == tree::Numbering::by_level) {
        tell(hashes_of(enrolment).of(colour)(rank), LetterKind::ask, enrolment, to_words(ask));
    } else {
        ask.by_tree = true;
        tell(self_, LetterKind::ask, group, to_words(ask));
    }
    read_until(
        lock, [&] { return answer.has_value(); }, std::chrono::steady_clock::now() + answer_within);
    const auto found = answer;
    answers_.erase(ask.ticket);
    if (!found)
        throw TimeoutError("the process of rank " + std::to_string(rank) + " in a group of " +
                           std::to_string(seat.size) +
                           " was not found within 60 s: a process on the way to it does not answer "
                           "(is it stopped, or has it ended the group long ago?)");
    if (known_.size() >= most_known) known_.clear();
    known_.emplace(name, *found);
    return *found;
}

bool GroupSpace::read_letter() {
    const auto received = post_->receive();
    if (!received) return false;
    try {
        act_on(*received);
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throw SystemError("process " + std::to_string(received->from.value) + " wrote to process " +
                          std::to_string(self_.value) +
                          " about a process group what cannot be: " + error.what());
    }
    return true;
}

void GroupSpace::act_on(const Letter& letter) {
    const auto header = header_of(letter.words);
    if (!header) throw std::invalid_argument("a letter of an unknown kind");
    const auto rest = std::span(letter.words).subspan(header_words);
    switch (header->kind) {
        case LetterKind::build:
            on_build(letter.from, header->key, rest);
            break;
        case LetterKind::forget:
            if (rest.size() == 2) forget(header->key, tree::Colour{rest[0]}, rest[1]);
            break;
        case LetterKind::ask:
            if (const auto ask = ask_from(rest)) on_ask(header->key, *ask);
            break;
        case LetterKind::answer:
            if (rest.size() != 2) break;
            if (const auto at = answers_.find(rest[0]); at != answers_.end())
                at->second = tree::ProcessId{rest[1]};
            break;
    }
}

void GroupSpace::forget(GroupKey key, tree::Colour colour, int rank) {
    const auto at = directories_.find(key.value);
    if (at == directories_.end()) return;
    const auto holder = at->second.holder(colour, rank);
    at->second.forget(colour, rank);
    if (at->second.empty()) directories_.erase(at);
    if (!holder) return;
    forgotten_.emplace(Entry{key.value, colour, rank}, *holder);
    forgotten_order_.emplace_back(key.value, colour, rank);
    if (forgotten_order_.size() <= most_closed) return;
    forgotten_.erase(forgotten_order_.front());
    forgotten_order_.pop_front();
}

void GroupSpace::on_build(tree::ProcessId from, GroupKey key, std::span<const std::int32_t> words) {
    auto message = tree::from_words(words);
    tree::Outbox out;
    if (const auto* entry = std::get_if<tree::Register>(&message)) {
        directories_[key.value].on_register(from, *entry, out);
        send(key, out);
        ask_again(key);
        return;
    }
    const auto at = enrolments_.find(key);
    if (at == enrolments_.end()) {  // this process has not come there yet
        early_[key].push_back({from, std::move(message)});
        return;
    }
    at->second.builder.on_message(from, std::move(message), out);
    send(key, out);
    drop_finished(key);
}

void GroupSpace::on_ask(GroupKey key, const Ask& ask) {
    if (!answer(key, ask)) waiting_.push_back({key, ask});  // the group is still being made
}

bool GroupSpace::answer(GroupKey key, const Ask& ask) {
    std::optional<tree::ProcessId> id;
    if (!ask.by_tree) {
        const auto at = directories_.find(key.value);
        if (at != directories_.end()) id = at->second.holder(ask.colour, ask.rank);
        const auto before = forgotten_.find({key.value, ask.colour, ask.rank});
        if (!id && before != forgotten_.end()) id = before->second;
    } else if (const auto* const found = seat_of(key)) {
        const auto& seat = *found;
        if (seat.rank == ask.rank) {
            id = self_;
        } else {
            Ask onwards = ask;
            onwards.down = ask.down || !seat.parent;
            auto next = seat.parent;
            if (onwards.down) {
                // Ranks below a child begin with its own and end before the next child's.
                const auto above =
                    std::ranges::upper_bound(seat.children, ask.rank, {}, &tree::Child::rank);
                next = std::prev(above)->id;
            }
            tell(*next, LetterKind::ask, key, to_words(onwards));
            return true;
        }
    }
    if (!id) return false;
    tell(ask.asker, LetterKind::answer, key, std::array{ask.ticket, id->value});
    return true;
}

const tree::Seat* GroupSpace::seat_of(GroupKey group) const {
    if (const auto at = live_.find(group.value); at != live_.end()) return at->second;
    const auto at = closed_.find(group.value);
    return at == closed_.end() ? nullptr : &at->second;
}

void GroupSpace::ask_again(GroupKey key) {
    std::erase_if(waiting_, [&](const Waiting& waiting) {
        return waiting.key == key && answer(waiting.key, waiting.ask);
    });
}

void GroupSpace::send(GroupKey key, tree::Outbox& out) {
    for (const auto& [to, message] : out) tell(to, LetterKind::build, key, tree::to_words(message));
    out.clear();
}

void GroupSpace::tell(tree::ProcessId to, LetterKind kind, GroupKey key,
                      std::span<const std::int32_t> words) {
    ++letters_sent_;
    post_->send(to, letter({kind, key}, words));
}

}  // namespace ductile::groups
