#include "tree/builder.hpp"

#include <gtest/gtest.h>

#include "enrolment.hpp"
#include "tree/shape.hpp"

namespace ductile::tree::builder_test {
namespace {

std::string name_of(const Method& method, int n, const std::string& members) {
    return "algorithm " + std::to_string(static_cast<int>(method.algorithm)) + ", filler " +
           std::to_string(static_cast<int>(method.filler)) + ", slack " +
           std::to_string(static_cast<int>(method.slack)) + ", lone " +
           std::to_string(static_cast<int>(method.lone)) + ", k " +
           std::to_string(method.branching) + ", n " + std::to_string(n) + ", members " + members;
}

/// What every finished enrolment must satisfy, for each colour.
void expect_built(const Enrolment& done, const Method& method, const Colours& colours) {
    LabelSet labels;
    for (std::size_t i = 0; i < colours.size(); ++i)
        if (done.processes[i].builder()) labels.merge(labels_of(i));
    std::map<Colour, int> sizes;
    for (const auto& colour : colours)
        if (colour) ++sizes[*colour];
    std::map<Colour, int> complete;
    for (std::size_t i = 0; i < colours.size(); ++i)
        if (done.processes[i].complete()) ++complete[colours[i].value()];
    for (const auto& [colour, size] : sizes) {
        const auto facts = check_tree(done.positions(colours, colour));
        EXPECT_EQ(facts.members, size);
        EXPECT_EQ(done.positions(colours, colour).front().label, labels.lowest_free());
        EXPECT_LE(facts.largest_degree, method.branching);
        EXPECT_EQ(facts.height, height(size, method.branching));
        EXPECT_EQ(complete[colour], 1) << "the end is known at the root, and only there";
    }
    EXPECT_EQ(complete.size(), sizes.size());
}

TEST(Builder, MakesATreeOfEverySetOfMembers) {
    for (int n = 1; n <= 12; ++n) {
        for (unsigned bits = 0; bits < 1U << n; ++bits) {
            const auto colours = members(n, bits);
            for (const int k : {2, 3}) {
                if (k > 2 && n > 10) continue;  // as high as a binary tree of 10, and many more
                const auto parents = whole_job(n, k);
                for (const auto& method : all_methods(k)) {
                    SCOPED_TRACE(name_of(method, n, std::to_string(bits)));
                    auto enrolment = begin(method, parents, colours);
                    ASSERT_NO_THROW(enrolment.run(at_random(bits)));
                    ASSERT_NO_THROW(expect_built(enrolment, method, colours));
                    if (HasFailure()) return;
                }
            }
        }
    }
}

TEST(Builder, MakesATreeInAnyOrderOfMessages) {
    for (const int n : {13, 40, 500}) {
        for (const int k : {2, 3, 4, 8}) {
            const auto parents = whole_job(n, k);
            for (const double fraction : {0.01, 0.1, 0.3, 0.6, 0.9}) {
                const auto colours = members_at_random(n, fraction, static_cast<unsigned>(n + k));
                for (const auto& method : all_methods(k)) {
                    SCOPED_TRACE(name_of(method, n, std::to_string(fraction)));
                    for (const auto& schedule :
                         {first_come(), last_come(), at_random(1), at_random(2)}) {
                        auto enrolment = begin(method, parents, colours);
                        ASSERT_NO_THROW(enrolment.run(schedule));
                        ASSERT_NO_THROW(expect_built(enrolment, method, colours));
                    }
                    if (HasFailure()) return;
                }
            }
        }
    }
}

/// Chains of holes from a leaf to the root, whole subtrees of them, one member, all but one.
TEST(Builder, MakesATreeOfOddSets) {
    constexpr int n = 121, k = 3;
    const auto parents = whole_job(n, k);
    std::vector<Colours> sets;
    for (int only = 0; only < n; only += 7) {
        Colours one(n), all_but_one(n, Colour{0}), off_its_path(n, Colour{0}), on_its_path(n);
        one[static_cast<std::size_t>(only)] = Colour{0};
        all_but_one[static_cast<std::size_t>(only)] = std::nullopt;
        for (int id = only;; id = parent_rank(id, k)) {
            off_its_path[static_cast<std::size_t>(id)] = std::nullopt;
            on_its_path[static_cast<std::size_t>(id)] = Colour{0};
            if (id == 0) break;
        }
        sets.insert(sets.end(), {one, all_but_one, off_its_path, on_its_path});
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
        for (const auto& method : all_methods(k)) {
            SCOPED_TRACE(name_of(method, n, "set " + std::to_string(i)));
            auto enrolment = begin(method, parents, sets[i]);
            ASSERT_NO_THROW(enrolment.run(at_random(static_cast<unsigned>(i))));
            ASSERT_NO_THROW(expect_built(enrolment, method, sets[i]));
        }
    }
}

/// Groups of groups: each split goes over the last group's own tree, and its intermediaries may be
/// processes that are in neither.
TEST(Builder, SplitsGroupsOfGroups) {
    constexpr int n = 300, k = 3;
    for (const auto& method : all_methods(k)) {
        auto parents = whole_job(n, k);
        Colours colours(n, Colour{0});
        for (unsigned depth = 1; depth <= 5; ++depth) {
            SCOPED_TRACE(name_of(method, n, "depth " + std::to_string(depth)));
            const auto chosen = members_at_random(n, 0.6, depth);
            for (std::size_t i = 0; i < n; ++i)
                if (!parents[i] || !chosen[i]) colours[i] = std::nullopt;
            auto enrolment = begin(method, parents, colours, static_cast<int>(depth));
            ASSERT_NO_THROW(enrolment.run(at_random(depth)));
            ASSERT_NO_THROW(expect_built(enrolment, method, colours));
            for (std::size_t i = 0; i < n; ++i) parents[i] = enrolment.processes[i].position();
        }
    }
}

TEST(Builder, MakesAGroupOfEachColour) {
    for (const auto& method : all_methods(3)) {
        for (const int n : {1, 7, 64, 500}) {
            for (const int count : {2, 5, n}) {
                SCOPED_TRACE(name_of(method, n, std::to_string(count) + " colours"));
                Colours colours(static_cast<std::size_t>(n));
                std::mt19937 random{static_cast<unsigned>(n + count)};
                for (auto& colour : colours) {
                    const int drawn = std::uniform_int_distribution{-1, count - 1}(random);
                    if (drawn >= 0) colour = Colour{drawn};
                }
                auto enrolment = begin(method, whole_job(n, 3), colours);
                ASSERT_NO_THROW(enrolment.run(at_random(7)));
                ASSERT_NO_THROW(expect_built(enrolment, method, colours));
            }
        }
    }
}

TEST(Builder, SendsAsManyMessagesAsThePaperCounts) {
    constexpr int n = 2000, k = 3;
    for (const double fraction : {0.001, 0.1, 0.5, 0.9, 1.0}) {
        auto colours = members_at_random(n, fraction, 5);
        colours[0] = Colour{0};
        const int m = count(colours);
        const auto messages = [&](Algorithm algorithm, Filler filler) {
            auto enrolment = begin({algorithm, filler, k}, whole_job(n, k), colours);
            enrolment.run(first_come());
            return enrolment.counted;
        };
        EXPECT_EQ(messages(Algorithm::centralized, Filler::none), n - 1 + m - 1);
        // Section VII-C: the passes of the three fillers are alike, within 1.
        const int holes = messages(Algorithm::shrink_and_hash, Filler::none);
        EXPECT_EQ(messages(Algorithm::shrink_and_hash, Filler::child), holes);
        EXPECT_EQ(messages(Algorithm::shrink_and_hash, Filler::leaf), holes);
        const int hashing = 3 * m - 2 + (m - 2 + k) / k;
        EXPECT_GE(holes, n - 1 + m - 1 + hashing);
        const int balance = messages(Algorithm::shrink_and_balance, Filler::leaf);
        EXPECT_GE(balance, holes - hashing) << "the same passes, and what balancing moves";
        if (m < n) continue;
        EXPECT_EQ(holes, n - 1 + m - 1 + hashing);
        EXPECT_EQ(balance, holes - hashing) << "nothing to balance";
    }
}

/// The claim of balanced-spanning-trees, in bytes: O(k) with no filler, O(k log_k n) with one,
/// whatever m is.
TEST(Builder, HoldsMemoryByTheTreesDegreeAndHeightOnly) {
    for (const int k : {2, 3, 8}) {
        for (const int n : {100, 2000}) {
            const auto degree = static_cast<std::size_t>(k);
            const auto levels = static_cast<std::size_t>(height(n, k));
            for (const double fraction : {0.05, 0.3, 0.9, 1.0}) {
                const auto colours = members_at_random(n, fraction, 3);
                for (const auto& method : all_methods(k)) {
                    if (method.algorithm == Algorithm::centralized) continue;
                    SCOPED_TRACE(name_of(method, n, std::to_string(fraction)));
                    auto enrolment = begin(method, whole_job(n, k), colours);
                    enrolment.run(at_random(1));
                    const auto variable = enrolment.most_bytes - sizeof(Process);
                    if (method.filler == Filler::none)
                        EXPECT_LE(variable, 256 * degree);
                    else
                        EXPECT_LE(variable, 256 * degree * levels);
                    for (const auto& position : enrolment.positions(colours, Colour{0}))
                        EXPECT_LE(position.bytes(), 64 + 8 * degree);
                }
            }
        }
    }
}

TEST(Builder, RefusesWhatCannotBe) {
    const auto build = [](const Method& method) {
        Builder{method, position_in_job(ProcessId{0}, 1, 2), Colour{0}, {}};
    };
    EXPECT_THROW(build({Algorithm::shrink_and_balance, Filler::none, 3}), std::invalid_argument);
    EXPECT_THROW(build({Algorithm::shrink_and_hash, Filler::none, 1}), std::invalid_argument);
    EXPECT_THROW(build({Algorithm::shrink_and_hash, Filler::none, 1025}), std::invalid_argument);
    Outbox out;
    Builder builder{{}, position_in_job(ProcessId{0}, 1, 3), Colour{0}, {}};
    EXPECT_THROW(builder.on_message(ProcessId{1}, Begin{}, out), std::logic_error);
}

}  // namespace
}  // namespace ductile::tree::builder_test
