// Directories to which only this user has access: what is refused, what is removed, what stays.
#include "os/private_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "ductile/error.hpp"

namespace ductile::os::private_directory_test {
namespace {

namespace fs = std::filesystem;

class PrivateDirectoryTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string place = (fs::temp_directory_path() / "privateXXXXXX").string();
        ASSERT_NE(::mkdtemp(place.data()), nullptr);
        root = place;
    }
    void TearDown() override { fs::remove_all(root); }
    fs::path root;
};

mode_t mode_of(const fs::path& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
}

TEST_F(PrivateDirectoryTest, IsMadeForThisUserAloneUnderAnyUmask) {
    for (const mode_t mask : {0000U, 0022U, 0777U}) {
        const auto path = root / std::to_string(mask);
        const mode_t before = ::umask(mask);
        const auto made = PrivateDirectory::make(path);
        made.make_child("inner").set_mark();
        ::umask(before);
        EXPECT_EQ(mode_of(path), 0700u);
        EXPECT_EQ(mode_of(path / "inner"), 0700u);
        EXPECT_EQ(mode_of(path / "inner" / ".ductile"), 0600u);
    }
}

TEST_F(PrivateDirectoryTest, APlaceIsSafeWhereNobodyElseCanRename) {
    EXPECT_TRUE(is_safe_place(root));
    EXPECT_TRUE(is_safe_place("/"));
    EXPECT_FALSE(is_safe_place(root / "nothing"));
    for (const auto& [mode, safe] :
         {std::pair{0755, true}, {0770, false}, {0777, false}, {01777, true}}) {
        ASSERT_EQ(::chmod(root.c_str(), static_cast<mode_t>(mode)), 0);
        EXPECT_EQ(is_safe_place(root), safe) << std::oct << mode;
    }
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chown(root.c_str(), 65533, 65533), 0);
    EXPECT_FALSE(is_safe_place(root)) << "its owner can rename what is in it";
}

TEST_F(PrivateDirectoryTest, NothingThereIsNoError) {
    EXPECT_FALSE(PrivateDirectory::find(root / "nothing").has_value());
    EXPECT_FALSE(PrivateDirectory::make(root / "a").find_child("nothing").has_value());
}

TEST_F(PrivateDirectoryTest, LinksFilesAndOpenDirectoriesAreRefused) {
    fs::create_directory(root / "target");
    ::chmod((root / "target").c_str(), 0700);
    fs::create_directory_symlink(root / "target", root / "link");
    fs::create_symlink(root / "nothing", root / "dangling");
    std::ofstream(root / "file") << "a file";
    fs::create_directory(root / "open");
    ::chmod((root / "open").c_str(), 0750);
    for (const auto* name : {"link", "dangling", "file", "open"}) {
        EXPECT_THROW(PrivateDirectory::make(root / name), SystemError) << name;
        EXPECT_THROW(PrivateDirectory::find(root / name), SystemError) << name;
    }
}

TEST_F(PrivateDirectoryTest, AnotherUsersIsRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
    const auto path = root / "theirs";
    static_cast<void>(PrivateDirectory::make(path));
    ASSERT_EQ(::chown(path.c_str(), 65533, 65533), 0);
    try {
        static_cast<void>(PrivateDirectory::find(path));
        FAIL() << "it was taken";
    } catch (const SystemError& error) {
        EXPECT_NE(std::string(error.what()).find("65533"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
}

TEST_F(PrivateDirectoryTest, RemovingFollowsNoLink) {
    fs::create_directories(root / "victim" / "kept");
    const auto directory = PrivateDirectory::make(root / "ours");
    fs::create_directories(root / "ours" / "child" / "deep" / "deeper");
    std::ofstream(root / "ours" / "child" / "file") << "x";
    fs::create_directory_symlink(root / "victim", root / "ours" / "child" / "deep" / "link");
    fs::create_directory_symlink(root / "victim", root / "ours" / "link");
    directory.remove_child("child");
    directory.remove_child("link");
    directory.remove_child("nothing");
    EXPECT_TRUE(directory.is_empty());
    EXPECT_TRUE(fs::exists(root / "victim" / "kept"));
}

TEST_F(PrivateDirectoryTest, ClearingKeepsTheMark) {
    const auto directory = PrivateDirectory::make(root / "ours");
    EXPECT_FALSE(directory.has_mark());
    directory.set_mark();
    directory.set_mark();
    static_cast<void>(directory.make_child("child"));
    directory.clear();
    EXPECT_TRUE(directory.has_mark());
    EXPECT_EQ(directory.names().size(), 1u);
}

TEST_F(PrivateDirectoryTest, AMarkIsAFileOfOurs) {
    const auto directory = PrivateDirectory::make(root / "ours");
    fs::create_symlink("/etc/passwd", root / "ours" / ".ductile");
    EXPECT_FALSE(directory.has_mark());
}

TEST_F(PrivateDirectoryTest, WhoeverHoldsItSeesThatItWasRemoved) {
    const auto directory = PrivateDirectory::make(root / "ours");
    EXPECT_FALSE(directory.is_removed());
    fs::remove(root / "ours");
    static_cast<void>(PrivateDirectory::make(root / "ours"));  // another one of that name
    EXPECT_TRUE(directory.is_removed());
    EXPECT_THROW(static_cast<void>(directory.make_child("child")), SystemError);
}

}  // namespace
}  // namespace ductile::os::private_directory_test
