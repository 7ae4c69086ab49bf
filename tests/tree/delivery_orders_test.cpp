// Every order in which the messages of a small enrolment can arrive.
#include <gtest/gtest.h>

#include <unordered_set>

#include "enrolment.hpp"
#include "tree/message_words.hpp"
#include "tree/shape.hpp"

namespace ductile::tree::delivery_orders_test {
namespace {

/// Whether such a message commutes with others: the receiver only counts it, or sorts what it has
/// collected. Then one order of these messages stands for all orders, and the search tries only
/// this order.
bool commutes(const Message& message) {
    return !(std::holds_alternative<Relocation>(message) ||
             std::holds_alternative<Ranks>(message) || std::holds_alternative<Balance>(message) ||
             std::holds_alternative<Supply>(message) || std::holds_alternative<Handed>(message) ||
             std::holds_alternative<Part>(message));
}

/// An enrolment and, for each process, its history: the messages that do not commute and have
/// reached it, in their order. The state of a process depends only on its history. So two states
/// with the same histories count as one.
struct State {
    Enrolment enrolment;
    std::vector<std::uint64_t> histories;

    void deliver(Channel channel) {
        auto& history = histories.at(static_cast<std::size_t>(channel.to.value));
        const auto mix = [&](std::int32_t word) {
            history = (history ^ static_cast<std::uint32_t>(word)) * 0x9E3779B97F4A7C15U;
            history ^= history >> 29U;
        };
        const auto& message = enrolment.in_flight.at(channel).front();
        if (!commutes(message)) {
            mix(channel.from.value + 1);
            for (const auto word : to_words(message)) mix(word);
        }
        enrolment.deliver(channel);
    }
    void deliver_what_commutes() {
        const auto next = [&] {
            return std::ranges::find_if(enrolment.in_flight, [](const auto& entry) {
                return commutes(entry.second.front());
            });
        };
        for (auto at = next(); at != enrolment.in_flight.end(); at = next()) deliver(at->first);
    }
    [[nodiscard]] std::uint64_t key() const {
        std::uint64_t sum = 0;
        for (const auto history : histories) sum = (sum ^ history) * 0xD6E8FEB86659FD93U + 1;
        return sum;
    }
};

/// Visits every state that can be reached; checks those in which nothing is in flight.
class Search {
  public:
    Search(const Method& method, const Colours& colours) : method_(method), colours_(colours) {}

    void from(State state) {
        state.deliver_what_commutes();
        if (!seen_.insert(state.key()).second) return;
        if (state.enrolment.in_flight.empty()) {
            ++ends_;
            const auto facts = check_tree(state.enrolment.positions(colours_, Colour{0}));
            if (facts.members != count(colours_) || facts.largest_degree > method_.branching ||
                facts.height != height(facts.members, method_.branching))
                throw std::logic_error("no balanced tree of all members");
            return;
        }
        for (const auto& [channel, messages] : state.enrolment.in_flight) {
            State next = state;
            next.deliver(channel);
            from(std::move(next));
        }
    }
    [[nodiscard]] std::size_t states() const { return seen_.size(); }
    [[nodiscard]] int ends() const { return ends_; }

  private:
    Method method_;
    Colours colours_;
    std::unordered_set<std::uint64_t> seen_;
    int ends_ = 0;
};

std::size_t search(const Method& method, int n, const Colours& colours) {
    Search search{method, colours};
    search.from({begin(method, whole_job(n, 2), colours),
                 std::vector<std::uint64_t>(static_cast<std::size_t>(n))});
    EXPECT_GE(search.ends(), 1);
    return search.states();
}

unsigned ancestor_on_level_1(int id) {
    while (id > 2) id = parent_rank(id, 2);
    return static_cast<unsigned>(id);
}

TEST(DeliveryOrders, AllEndInATree) {
    constexpr int k = 2;
    std::size_t states = 0;
    for (int n = 1; n <= 9; ++n)
        for (unsigned bits = 0; bits < 1U << n; ++bits)
            for (const auto& method : all_methods(k)) {
                SCOPED_TRACE(std::to_string(n) + " processes, members " + std::to_string(bits));
                ASSERT_NO_THROW(states += search(method, n, members(n, bits)));
            }
    RecordProperty("states", static_cast<int>(states));
    EXPECT_GT(states, 10000U);
}

/// Sets of which most of the members sit far below the root, on one side: pieces are split, handed
/// on, and overtake each other.
TEST(DeliveryOrders, OfABalancingWithManyMoves) {
    int moved = 0;
    for (const unsigned below : {1U, 2U}) {
        for (const int n : {15, 22, 31, 37}) {
            Colours colours(static_cast<std::size_t>(n));
            for (int id = static_cast<int>(below); id < n; ++id)
                if (ancestor_on_level_1(id) == below)
                    colours[static_cast<std::size_t>(id)] = Colour{0};
            for (const auto filler : {Filler::child, Filler::leaf}) {
                SCOPED_TRACE(std::to_string(n) + " processes below " + std::to_string(below));
                std::size_t states = 0;
                ASSERT_NO_THROW(states =
                                    search({Algorithm::shrink_and_balance, filler, 2}, n, colours));
                if (states > 100) ++moved;
            }
        }
    }
    EXPECT_GE(moved, 6) << "else little was searched";
}

}  // namespace
}  // namespace ductile::tree::delivery_orders_test
