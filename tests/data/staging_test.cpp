#include "data/staging.hpp"

#include <gtest/gtest.h>

namespace ductile::data::staging_test {
namespace {

Home home_on(Device device) {
    ArrayMemory memory;
    memory.device = device;
    return std::make_shared<const ArrayMemory>(std::move(memory));
}

Movement movement_of(const std::vector<std::pair<std::string, Home>>& arrays) {
    Movement movement;
    movement.verify = true;
    movement.memory = plan::Memory::tight;
    for (const auto& [name, home] : arrays) {
        Outgoing array{{name, "d", 1, 8, 10}, {}, {}, {}, home};
        movement.arrays.push_back(array);
        Block part;
        part.offset = static_cast<unsigned char>(array.spec.name[0]);
        movement.new_parts.push_back(part);
    }
    return movement;
}

// The names of the arrays of each movement: "ac b".
std::string names_of(const std::vector<Movement>& movements) {
    std::string names;
    for (const auto& one : movements) {
        if (!names.empty()) names += ' ';
        EXPECT_TRUE(one.verify && one.memory == plan::Memory::tight);
        EXPECT_EQ(one.new_parts.size(), one.arrays.size());
        for (std::size_t i = 0; i < one.arrays.size(); ++i) {
            names += one.arrays[i].spec.name;
            EXPECT_EQ(one.new_parts[i].offset, one.arrays[i].spec.name[0]);
        }
    }
    return names;
}

TEST(Staging, arrays_of_devices_move_alone) {
    const auto none = home_on(Device::none), cuda = home_on(Device::cuda);
    EXPECT_EQ(names_of(by_memory(movement_of({}))), "");
    EXPECT_EQ(names_of(by_memory(movement_of({{"a", nullptr}, {"b", none}}))), "ab");
    EXPECT_EQ(names_of(by_memory(movement_of({{"a", nullptr}, {"b", cuda}, {"c", none}}))), "ac b");
    EXPECT_EQ(names_of(by_memory(movement_of({{"a", cuda}, {"b", home_on(Device::hip)}}))), "a b");
}

}  // namespace
}  // namespace ductile::data::staging_test
