#include "cluster/processes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ductile::cluster::processes_test {
namespace {

TEST(ParseStat, TakesAnyName) {
    struct Case {
        const char* stat;
        pid_t pid, ppid;
        char state;
        const char* name;
    };
    const Case cases[] = {
        {"12 (sleep) S 1 12 12 0 -1", 12, 1, 'S', "sleep"},
        {"7 (a) b (c) R 3 7 7", 7, 3, 'R', "a) b (c"},
        {"7 () Z 3", 7, 3, 'Z', ""},
        {"", 0, 0, '?', ""},
        {"12 sleep S 1", 0, 0, '?', ""},
        {"12 )sleep( S 1", 0, 0, '?', ""},
        {"12 (sleep)", 0, 0, '?', ""},
        {"x (sleep) S 1", 0, 0, '?', ""},
    };
    for (const auto& row : cases) {
        const Process process = parse_stat(row.stat);
        EXPECT_EQ(process.pid, row.pid) << row.stat;
        if (row.pid == 0) continue;
        EXPECT_EQ(process.ppid, row.ppid) << row.stat;
        EXPECT_EQ(process.state, row.state) << row.stat;
        EXPECT_EQ(process.name, row.name) << row.stat;
    }
}

class RecordedProc : public testing::Test {
  protected:
    void SetUp() override {
        std::string place = (std::filesystem::temp_directory_path() / "procXXXXXX").string();
        ASSERT_NE(::mkdtemp(place.data()), nullptr);
        root = place;
        add("1", "1 (host-init) S 0 1", std::string("ductile cluster: node01 host-init\0\0\0", 36),
            "");
        add("12", "12 (rank) S 1 12", std::string("./rank\0\0-v\0", 11),
            std::string("A=1\0JOB=j1\0", 11));
        add("3", "3 (rank) Z 1 3", "", "");
        std::filesystem::create_directories(root + "/sys/12");
    }
    void TearDown() override { std::filesystem::remove_all(root); }
    void add(const std::string& pid, const std::string& stat, const std::string& command,
             const std::string& environ) const {
        const std::string directory = root + "/" + pid;
        std::filesystem::create_directory(directory);
        std::ofstream(directory + "/stat") << stat;
        std::ofstream(directory + "/cmdline") << command;
        std::ofstream(directory + "/environ") << environ;
    }
    std::string root;
};

TEST_F(RecordedProc, IsReadByPid) {
    const auto all = read_processes(root);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].command, std::vector<std::string>{"ductile cluster: node01 host-init"});
    EXPECT_TRUE(is_furniture(all[0]));
    EXPECT_EQ(all[1].pid, 3);
    EXPECT_TRUE(all[1].command.empty());
    EXPECT_EQ(all[2].command, (std::vector<std::string>{"./rank", "", "-v"}));
    EXPECT_FALSE(is_furniture(all[2]));
}

TEST_F(RecordedProc, IsFilteredByWholeVariables) {
    EXPECT_EQ(read_processes(root, "JOB=j1").size(), 1U);
    for (const char* other : {"JOB=j", "OB=j1", "JOB=j11", "JOB"})
        EXPECT_TRUE(read_processes(root, other).empty()) << other;
}

TEST(Furniture, IsOnlyWhatNobodyStarted) {
    EXPECT_TRUE(is_furniture({5, 0, 'S', "host-session", {}}));
    EXPECT_FALSE(is_furniture({5, 4, 'S', "host-session", {}}));
    EXPECT_FALSE(is_furniture({5, 0, 'S', "nsenter", {}}));
    EXPECT_FALSE(is_furniture({5, 1, 'S', "host-init", {}}));
}

}  // namespace
}  // namespace ductile::cluster::processes_test
