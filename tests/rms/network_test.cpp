#include "rms/network.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace ductile::rms::network_test {

TEST(Network, FastDevicesAreSeen) {
    const auto root =
        std::filesystem::temp_directory_path() / ("ductile-network-" + std::to_string(::getpid()));
    EXPECT_FALSE(has_fast_network(root.string()));
    std::filesystem::create_directories(root / "sys/class/infiniband");
    EXPECT_FALSE(has_fast_network(root.string())) << "the class is there, but no device";
    std::filesystem::create_directories(root / "sys/class/infiniband/mlx5_0");
    EXPECT_TRUE(has_fast_network(root.string()));
    std::filesystem::remove_all(root);
}

}  // namespace ductile::rms::network_test
