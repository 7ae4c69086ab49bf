#include "agent/rapl.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace ductile::agent::rapl_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A folder like /sys/class/powercap.
class RaplTest : public ::testing::Test {
  protected:
    RaplTest() {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~RaplTest() override { fs::remove_all(folder_); }
    void set(const std::string& zone, const std::string& name, std::uint64_t energy_uj) {
        fs::create_directories(folder_ / zone);
        std::ofstream(folder_ / zone / "name") << name << "\n";
        std::ofstream(folder_ / zone / "max_energy_range_uj") << 1000000000 << "\n";
        std::ofstream(folder_ / zone / "energy_uj") << energy_uj << "\n";
    }
    static double watts(Rapl& rapl, Rapl::Time now) {
        const auto power = rapl.watts(now);
        if (const auto* none = std::get_if<Rapl::NoPower>(&power)) ADD_FAILURE() << none->why;
        return std::get<double>(power);
    }
    static std::string why_not(Rapl& rapl, Rapl::Time now) {
        const auto power = rapl.watts(now);
        if (const auto* none = std::get_if<Rapl::NoPower>(&power)) return none->why;
        return "";
    }

    const fs::path folder_ =
        fs::path(::testing::TempDir()) / ("powercap_" + std::to_string(::getpid()));
    const Rapl::Time start_{100s};
};

TEST_F(RaplTest, PackagesAndMemoryCount) {
    set("intel-rapl:0", "package-0", 1000000);
    set("intel-rapl:0:0", "core", 1000000);
    set("intel-rapl:0:1", "dram", 500000);
    set("intel-rapl:1", "package-1", 2000000);
    set("intel-rapl:2", "psys", 2000000);
    set("intel-rapl-mmio:0", "package-0", 2000000);
    Rapl rapl(folder_);
    EXPECT_EQ(why_not(rapl, start_), "it is not measured yet");
    set("intel-rapl:0", "package-0", 101000000);
    set("intel-rapl:0:0", "core", 91000000);
    set("intel-rapl:0:1", "dram", 10500000);
    set("intel-rapl:1", "package-1", 52000000);
    set("intel-rapl:2", "psys", 902000000);
    set("intel-rapl-mmio:0", "package-0", 902000000);
    EXPECT_DOUBLE_EQ(watts(rapl, start_ + 2s), 80);
    EXPECT_EQ(why_not(rapl, start_ + 3s), "the RAPL counters stand still");
}

TEST_F(RaplTest, ACounterBeginsAgainAfterItsRange) {
    set("intel-rapl:0", "package-0", 990000000);
    Rapl rapl(folder_);
    EXPECT_EQ(why_not(rapl, start_), "it is not measured yet");
    set("intel-rapl:0", "package-0", 40000000);
    EXPECT_DOUBLE_EQ(watts(rapl, start_ + 1s), 50);
}

TEST_F(RaplTest, ItIsSaidWhyThereIsNoPower) {
    Rapl none(folder_ / "missing");
    EXPECT_EQ(why_not(none, start_),
              "there are no RAPL counters in " + (folder_ / "missing").string());
    set("intel-rapl:0", "package-0", 1);
    Rapl rapl(folder_);
    EXPECT_EQ(why_not(rapl, start_), "it is not measured yet");
    const auto file = folder_ / "intel-rapl:0" / "energy_uj";
    fs::remove(file);
    EXPECT_EQ(why_not(rapl, start_ + 1s),
              file.string() + " cannot be read: No such file or directory");
    set("intel-rapl:0", "package-0", 2);
    EXPECT_EQ(why_not(rapl, start_ + 2s), "it is not measured yet");
    set("intel-rapl:0", "package-0", 3000002);
    EXPECT_DOUBLE_EQ(watts(rapl, start_ + 3s), 3);
}

}  // namespace
}  // namespace ductile::agent::rapl_test
