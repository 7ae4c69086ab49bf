#include "tree/slots.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace ductile::tree {
namespace {

void sort_by_size(std::vector<Piece>& pieces) {
    std::ranges::stable_sort(pieces, std::ranges::greater{}, &Piece::size);
}

[[noreturn]] void does_not_fit(const char* what) {
    throw std::logic_error(std::string("balancing a group's tree: ") + what);
}

}  // namespace

Slots::Slots(Start start, Outbox& out)
    : self_(start.self), capacity_(start.capacity), child_(start.child) {
    auto& pieces = start.pieces;
    supply_owed(pieces, std::move(start.owed), out);
    sort_by_size(pieces);
    const auto heads = std::min(pieces.size(), static_cast<std::size_t>(start.branching));
    slots_.resize(static_cast<std::size_t>(start.branching));
    for (std::size_t i = 0; i < heads; ++i) {
        slots_[i].head = pieces[i].top;
        slots_[i].target = std::min(pieces[i].size, capacity_);
    }
    // Orders and pieces are sent after the children know their places.
    Outbox moves;
    for (std::size_t i = heads; i < pieces.size(); ++i) {
        auto& roomiest = *std::ranges::max_element(slots_, {}, [&](auto& s) { return room(s); });
        const int whole = std::min(pieces[i].size, room(roomiest));
        if (whole == 0) does_not_fit("there is no room for a subtree");
        roomiest.target += whole;
        spread(pieces[i], pieces[i].size - whole, moves);
        hand(std::move(pieces[i]), *roomiest.head, moves);
    }
    for (std::size_t i = 0; i < heads; ++i)
        spread(pieces[i], std::max(0, pieces[i].size - capacity_), moves);
    expect(start.incoming);
    std::erase_if(slots_, [](const Slot& slot) { return slot.target == 0; });
    int first = start.first;
    for (auto& slot : slots_) {
        slot.first = first;
        first += slot.target;
    }
    for (std::size_t i = 0; i < heads; ++i) tell(slots_[i], std::move(pieces[i]), out);
    std::ranges::move(moves, std::back_inserter(out));
}

/// Each consumer gets whole pieces while they fit. The largest piece supplies the rest, and keeps
/// its top.
void Slots::supply_owed(std::vector<Piece>& pieces, std::vector<Supply> owed, Outbox& out) {
    std::ranges::stable_sort(owed, std::ranges::greater{}, &Supply::amount);
    for (auto& supply : owed) {
        auto& amount = supply.amount;  // clang 14 cannot capture a structured binding
        const auto& consumer = supply.consumer;
        while (amount > 0) {
            sort_by_size(pieces);
            const auto fits =
                std::ranges::find_if(pieces, [&](auto& piece) { return piece.size <= amount; });
            if (fits != pieces.end()) {
                amount -= fits->size;
                hand(std::move(*fits), consumer, out);
                pieces.erase(fits);
            } else if (!pieces.empty()) {
                order(pieces.front(), std::exchange(amount, 0), consumer, out);
            } else {
                does_not_fit("more is owed than there is");
            }
        }
    }
}

/// Finds room for the excess of a piece: in one child if possible, preferably in a known child.
void Slots::spread(Piece& supplier, int amount, Outbox& out) {
    int to_self = 0;
    while (amount > 0) {
        const auto better = [&](const Slot& a, const Slot& b) {
            const bool a_fits = room(a) >= amount, b_fits = room(b) >= amount;
            if (a_fits != b_fits) return b_fits;
            if (a_fits && a.head.has_value() != b.head.has_value()) return b.head.has_value();
            return room(a) < room(b);
        };
        auto& slot = *std::ranges::max_element(slots_, better);
        const int taken = std::min(amount, room(slot));
        if (taken == 0) does_not_fit("there is no room for the surplus vertices");
        slot.target += taken;
        amount -= taken;
        if (slot.head) {
            order(supplier, taken, *slot.head, out);
        } else {
            slot.due += taken;
            to_self += taken;
        }
    }
    if (to_self > 0) order(supplier, to_self, self_, out);
}

/// Assigns the vertices on their way to children: to new children first.
void Slots::expect(int incoming) {
    while (incoming > 0) {
        auto& slot = *std::ranges::max_element(slots_, [&](const Slot& a, const Slot& b) {
            const bool a_new = !a.head && room(a) > 0, b_new = !b.head && room(b) > 0;
            return a_new != b_new ? b_new : room(a) < room(b);
        });
        const int taken = std::min(incoming, room(slot));
        if (taken == 0) does_not_fit("there is no room for the incoming vertices");
        slot.target += taken;
        slot.due += taken;
        incoming -= taken;
    }
}

void Slots::place(Piece piece, Outbox& out) {
    // Prefers a new child to a known one, then the tightest child that takes all, then the widest.
    const auto better = [&](const Slot& a, const Slot& b) {
        if ((a.due > 0) != (b.due > 0)) return b.due > 0;
        if (a.head.has_value() != b.head.has_value()) return a.head.has_value();
        const bool a_fits = a.due >= piece.size, b_fits = b.due >= piece.size;
        if (a_fits != b_fits) return b_fits;
        return a_fits ? a.due > b.due : a.due < b.due;
    };
    if (slots_.empty()) does_not_fit("no piece was expected");
    auto& slot = *std::ranges::max_element(slots_, better);
    if (slot.due == 0) does_not_fit("no piece was expected");
    const int whole = std::min(piece.size, slot.due);
    slot.due -= whole;
    Outbox orders;
    int rest = piece.size - whole;
    for (auto& other : slots_) {
        const int taken = other.head ? std::min(rest, other.due) : 0;
        if (taken == 0) continue;
        other.due -= taken;
        rest -= taken;
        order(piece, taken, *other.head, orders);
    }
    // What is meant for unknown children comes back to this vertex.
    if (rest > 0) order(piece, rest, self_, orders);
    if (slot.head) {
        hand(std::move(piece), *slot.head, out);
    } else {
        slot.head = piece.top;
        tell(slot, std::move(piece), out);
    }
    std::ranges::move(orders, std::back_inserter(out));
}

bool Slots::complete() const {
    return std::ranges::all_of(slots_, [](auto& slot) { return slot.head && slot.due == 0; });
}

void Slots::order(Piece& supplier, int amount, ProcessId consumer, Outbox& out) const {
    supplier.size -= amount;
    supplier.owes += amount;
    out.push_back({supplier.top, Supply{child_.colour, amount, consumer}});
}

void Slots::hand(Piece piece, ProcessId consumer, Outbox& out) const {
    out.push_back({consumer, Handed{child_.colour, std::move(piece)}});
}

void Slots::tell(const Slot& slot, Piece piece, Outbox& out) const {
    Balance told = child_;
    told.first = slot.first;
    told.target = slot.target;
    told.incoming = slot.target - piece.size;
    told.owes = piece.owes;
    told.moves = piece.moves;
    told.taken = std::move(piece.taken);
    out.push_back({*slot.head, std::move(told)});
}

}  // namespace ductile::tree
