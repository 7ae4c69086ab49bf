#include "data/registry.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::data {
namespace {

template <class T>
std::unique_ptr<detail::ReplicatedAccess> access(T& value) {
    if constexpr (detail::IsContainer<T>::value)
        return std::make_unique<detail::ContainerAccess<T>>(value);
    else
        return std::make_unique<detail::TrivialAccess<T>>(value);
}

TEST(Registry, what_rank_0_packs_a_newcomer_finds_by_name) {
    long step = 42;
    std::string name = "heat";
    std::vector<double> gauges{1.5, 2.5};
    Registry source;
    add_replicated(source, "step", typeid(step).name(), access(step));
    add_replicated(source, "name", typeid(name).name(), access(name));
    add_replicated(source, "gauges", typeid(gauges).name(), access(gauges));
    add_array(source, {"u", "d", 3, 24, 10}, 0, 2);
    const auto state = unpack_state(pack_state(source));
    ASSERT_EQ(state.arrays.size(), 1u);
    EXPECT_EQ(state.arrays[0], (ArraySpec{"u", "d", 3, 24, 10}));

    Registry newcomer;
    adopt_values(newcomer, state);
    EXPECT_NO_THROW(expect_same(source, state));
    long their_step = 0;
    std::string their_name;
    std::vector<double> their_gauges;
    add_replicated(newcomer, "step", typeid(step).name(), access(their_step));
    add_replicated(newcomer, "name", typeid(name).name(), access(their_name));
    add_replicated(newcomer, "gauges", typeid(gauges).name(), access(their_gauges));
    EXPECT_EQ(their_step, 42);
    EXPECT_EQ(their_name, "heat");
    EXPECT_EQ(their_gauges, gauges);
}

TEST(Registry, a_name_is_taken_once) {
    long a = 1, b = 2;
    Registry registry;
    add_replicated(registry, "a", "l", access(a));
    EXPECT_THROW(add_replicated(registry, "a", "l", access(b)), UsageError);
    add_array(registry, {"u", "d", 1, 8, 10}, 0, 1);
    EXPECT_THROW(add_array(registry, {"u", "d", 1, 8, 10}, 0, 1), UsageError);
}

TEST(Registry, what_arrived_is_checked) {
    long step = 1;
    Registry source;
    add_replicated(source, "step", "l", access(step));
    Registry newcomer;
    adopt_values(newcomer, unpack_state(pack_state(source)));
    int narrow = 0;
    EXPECT_THROW(add_replicated(newcomer, "step", "i", access(narrow)), UsageError);
    EXPECT_THROW(expect_same(newcomer, {{}, {}}), UsageError);
    EXPECT_THROW(unpack_state("nonsense"), Error);
}

TEST(Registry, an_unclaimed_array_waits_for_its_registration) {
    Registry newcomer;
    auto arrived = std::make_shared<detail::ArrayState>();
    arrived->spec = {"u", "d", 1, 8, 10};
    arrived->block = make_block(arrived->spec, 5, 5);
    newcomer.arrays["u"] = arrived;
    EXPECT_THROW(add_array(newcomer, {"u", "d", 1, 8, 11}, 1, 2), UsageError);
    EXPECT_EQ(add_array(newcomer, {"u", "d", 1, 8, 10}, 1, 2)->block.offset, 5);
}

TEST(Block, too_large_is_said_with_the_array) {
    try {
        make_block({"u", "d", 1, INT64_MAX / 2, 10}, 0, 10);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("'u'"), std::string::npos);
    }
}

}  // namespace
}  // namespace ductile::data
