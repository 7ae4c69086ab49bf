#include "cluster/processes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ductile::cluster::processes_test {
namespace {

class RecordedProc : public testing::Test {
  protected:
    void SetUp() override {
        std::string place = (std::filesystem::temp_directory_path() / "procXXXXXX").string();
        ASSERT_NE(::mkdtemp(place.data()), nullptr);
        root = place;
        add("1", "1 (host-init) S 0 1 1",
            std::string("ductile cluster: node01 host-init\0\0\0", 36), "");
        add("12", "12 (rank) S 1 12 12", std::string("./rank\0\0-v\0", 11),
            std::string("A=1\0JOB=j1\0", 11));
        add("3", "3 (rank) Z 1 3 3", "", "");
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

Process process_of(pid_t pid, pid_t parent, const char* name) {
    return {{pid, 'S', parent, 0, name}, {}};
}

TEST(Furniture, IsOnlyWhatNobodyStarted) {
    EXPECT_TRUE(is_furniture(process_of(5, 0, "host-session")));
    EXPECT_FALSE(is_furniture(process_of(5, 4, "host-session")));
    EXPECT_FALSE(is_furniture(process_of(5, 0, "nsenter")));
    EXPECT_FALSE(is_furniture(process_of(5, 1, "host-init")));
}

}  // namespace
}  // namespace ductile::cluster::processes_test
