#include "cluster/state_dir.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cluster/freezer.hpp"
#include "ductile/error.hpp"
#include "os/private_directory.hpp"

namespace ductile::cluster::state_dir_test {
namespace {

namespace fs = std::filesystem;

TEST(BaseDirectory, IsTheUsersOwn) {
    EXPECT_EQ(base_directory("/run/user/7", 7), "/run/user/7/ductile-cluster");
    EXPECT_EQ(base_directory("", 7), "/tmp/ductile-cluster-7");
    EXPECT_EQ(base_directory("relative", 7), "/tmp/ductile-cluster-7");
}

class StateDirTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string place = (fs::temp_directory_path() / "stateXXXXXX").string();
        ASSERT_NE(::mkdtemp(place.data()), nullptr);
        runtime = place;
        ::setenv("XDG_RUNTIME_DIR", place.c_str(), 1);
    }
    void TearDown() override { fs::remove_all(runtime); }
    fs::path runtime;
};

TEST_F(StateDirTest, LivesAsLongAsItsLock) {
    StateDir made = make_state_dir("one");
    EXPECT_EQ(made.path, runtime / "ductile-cluster" / "cluster-one");
    EXPECT_TRUE(is_alive(made.path));
    EXPECT_THROW(make_state_dir("one"), UsageError);
    remove_dead_clusters();
    EXPECT_TRUE(fs::exists(made.path));
    { const Descriptor released = std::move(made.lock); }
    EXPECT_FALSE(is_alive(made.path));
    remove_dead_clusters();
    EXPECT_TRUE(fs::is_empty(runtime));
}

TEST_F(StateDirTest, TakesThePlaceOfADeadOne) {
    const std::string path = make_state_dir("one").path;  // its lock ends with the expression
    std::ofstream(path + "/left") << "over";
    const StateDir made = make_state_dir("one");
    EXPECT_FALSE(fs::exists(path + "/left"));
    EXPECT_TRUE(is_alive(made.path));
}

TEST_F(StateDirTest, IsForThisUserAlone) {
    const StateDir made = make_state_dir("one");
    for (const fs::path& path : {fs::path(made.path), runtime / "ductile-cluster"})
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all) << path;
    const fs::path base = runtime / "other" / "ductile-cluster";
    fs::create_directories(base);
    ::setenv("XDG_RUNTIME_DIR", (runtime / "other").c_str(), 1);
    ASSERT_EQ(::chmod(base.c_str(), 0755), 0);
    EXPECT_THROW(make_state_dir("one"), SystemError);
    fs::remove(base);
    fs::create_directory_symlink(runtime, base);
    EXPECT_THROW(make_state_dir("one"), SystemError);
}

TEST_F(StateDirTest, IsRefusedWhenItsSocketCouldNotBeNamed) {
    const fs::path deep = runtime / std::string(100, 'd');
    fs::create_directory(deep);
    ::setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
    EXPECT_THROW(make_state_dir("one"), SystemError);
    EXPECT_TRUE(fs::is_empty(deep));
}

TEST_F(StateDirTest, WhatAKilledUpLeftUnfinishedGoesAfterAMinute) {
    const fs::path fresh = runtime / "ductile-cluster" / "new-abcdef";
    const auto base = os::PrivateDirectory::make(fresh.parent_path());
    base.make_child("new-abcdef").set_mark();
    remove_dead_clusters();
    EXPECT_TRUE(fs::exists(fresh));
    fs::last_write_time(fresh, fs::file_time_type::clock::now() - std::chrono::minutes(2));
    remove_dead_clusters();
    EXPECT_FALSE(fs::exists(fresh));
}

TEST_F(StateDirTest, WhatDuctileDidNotMakeStays) {
    const fs::path base = runtime / "ductile-cluster";
    const auto ours = os::PrivateDirectory::make(base);
    std::ofstream(base / "file") << "of the user";
    for (const std::string name : {"new-papers", "cluster-photos"}) {
        static_cast<void>(ours.make_child(name));
        std::ofstream(base / name / "lock") << "";
        fs::last_write_time(base / name,
                            fs::file_time_type::clock::now() - std::chrono::hours(1000));
    }
    remove_dead_clusters();
    EXPECT_TRUE(fs::exists(base / "new-papers"));
    EXPECT_TRUE(fs::exists(base / "cluster-photos"));
}

TEST_F(StateDirTest, ALinkInItsPlaceIsRefusedAndItsTargetUntouched) {
    const fs::path victim = runtime / "victim";
    os::PrivateDirectory::make(victim).make_child("new-papers").set_mark();
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1000);
    fs::last_write_time(victim / "new-papers", old);
    fs::create_directory_symlink(victim, runtime / "ductile-cluster");
    EXPECT_THROW(remove_dead_clusters(), SystemError);
    EXPECT_TRUE(fs::exists(victim / "new-papers"));
}

TEST_F(StateDirTest, OnlyCgroupsOfFreezesAreRemoved) {
    fs::create_directory(runtime / "ductile-empty");
    remove_cgroups_of_freezes((runtime / "ductile-empty").string() + "\n/sys/fs/cgroup/../../" +
                              (runtime / "ductile-empty").string() + "\n");
    EXPECT_TRUE(fs::exists(runtime / "ductile-empty"));
}

}  // namespace
}  // namespace ductile::cluster::state_dir_test
