// Recorded PMI lines of ranks of real MPIs. Our server must answer each of them as recorded.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "pmi/recording.hpp"

namespace ductile::pmi::recorded_test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> recordings() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(DUCTILE_PMI_RECORDED))
        if (entry.path().extension() == ".txt") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

TEST(Recorded, EachRankIsToldTheSame) {
    EXPECT_GE(recordings().size(), 36U);
    for (const auto& path : recordings()) {
        std::ifstream file(path, std::ios::binary);
        const auto recording = read_recording({std::istreambuf_iterator<char>(file), {}});
        NameTable names;
        OneWorld world(recording.options, names);
        std::map<int, std::vector<std::string>> told;
        for (const auto& step : recording.steps) {
            do_step(world, step);
            for (auto& [rank, line] : world.take_lines())
                told[rank.value].push_back(std::move(line));
            for (const auto& effect : world.take_effects())
                EXPECT_FALSE(std::holds_alternative<Misbehaved>(effect)) << path << ": " << step;
        }
        EXPECT_EQ(told, recording.answers) << path;
    }
}

}  // namespace
}  // namespace ductile::pmi::recorded_test
