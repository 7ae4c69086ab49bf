#include "cli/doctor/mpi_installation.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ductile::cli::mpi_installation_test {
namespace {

namespace fs = std::filesystem;

/// A prefix with the named tools in bin/.
class Prefix : public testing::Test {
  protected:
    Prefix() {
        std::string name = (fs::temp_directory_path() / "ductile-prefix-XXXXXX").string();
        root_ = mkdtemp(name.data());
        fs::create_directory(root_ / "bin");
    }
    ~Prefix() override { fs::remove_all(root_); }
    Prefix(const Prefix&) = delete;
    Prefix& operator=(const Prefix&) = delete;

    void add(const std::vector<std::string>& tools) const {
        for (const auto& tool : tools) {
            std::ofstream(root_ / "bin" / tool) << "#!/bin/sh\n";
            fs::permissions(root_ / "bin" / tool, fs::perms::owner_all);
        }
    }
    [[nodiscard]] std::string tool(const std::string& name) const {
        return (root_ / "bin" / name).string();
    }

    fs::path root_;
};

TEST_F(Prefix, OfAWheel) {
    add({"mpicc", "mpiexec", "mpiexec.hydra"});
    const auto found = find_installation(root_.string());
    EXPECT_EQ(found.mpicc, tool("mpicc"));
    EXPECT_EQ(found.mpiexec, tool("mpiexec"));
}

TEST_F(Prefix, OfDebian) {
    add({"mpicc.mpich", "mpiexec.mpich", "mpiexec.hydra"});
    EXPECT_EQ(find_installation(root_.string()).mpicc, tool("mpicc.mpich"));
    EXPECT_EQ(find_installation(root_.string()).mpiexec, tool("mpiexec.mpich"));
    add({"mpiexec"});  // another MPI's
    EXPECT_EQ(find_installation(root_.string()).mpiexec, tool("mpiexec.mpich")) << "one family";
}

TEST_F(Prefix, WithoutTools) {
    EXPECT_EQ(find_installation(root_.string()).mpicc, "");
    EXPECT_EQ(find_installation("/nowhere/at/all").mpiexec, "");
    add({"mpicc", "mpiexec"});
    fs::permissions(tool("mpicc"), fs::perms::owner_read);
    fs::remove(tool("mpiexec"));
    fs::create_directory(tool("mpiexec"));
    EXPECT_EQ(find_installation(root_.string()).mpiexec, "") << "a directory is no program";
}

TEST_F(Prefix, WithoutMpiccIsBuiltForByAnotherOfItsInterface) {
    add({"mpiexec", "mpicc_abi"});
    const auto other = root_ / "other";
    fs::create_directories(other / "bin");
    fs::create_directories(root_ / "lib" / "release");
    for (const char* name : {"mpicc", "mpicc_abi"}) {
        std::ofstream(other / "bin" / name) << "#!/bin/sh\n";
        fs::permissions(other / "bin" / name, fs::perms::owner_all);
    }
    const auto found = [&](const std::string& library) {
        return find_installation(root_.string(), library, other.string());
    };
    EXPECT_EQ(found("libmpi.so.12").mpicc, "") << "it has no such library";
    std::ofstream(root_ / "lib" / "release" / "libmpi.so.12") << "";
    EXPECT_EQ(found("libmpi.so.12").mpicc, (other / "bin" / "mpicc").string());
    EXPECT_EQ(found("libmpi.so.12").library_folder, (root_ / "lib" / "release").string());
    EXPECT_EQ(found("libmpi_abi.so.1").mpicc, "");
    std::ofstream(root_ / "lib" / "libmpi_abi.so.1") << "";
    EXPECT_EQ(found("libmpi_abi.so.1").mpicc, (other / "bin" / "mpicc_abi").string());
    add({"mpicc"});
    EXPECT_EQ(found("libmpi.so.12").mpicc, tool("mpicc"));
    EXPECT_EQ(found("libmpi.so.12").library_folder, "") << "its own finds its own";
}

TEST_F(Prefix, ByDefaultIsTheOneBuiltForOrTheFirstInPath) {
    EXPECT_EQ(default_prefix("", "/nowhere:/nowhere/else"), "");
    EXPECT_EQ(default_prefix("/gone", "/nowhere"), "/gone") << "to be named as missing";
    add({"mpicc", "mpiexec"});
    EXPECT_EQ(default_prefix("/gone", "/nowhere:" + (root_ / "bin").string()), root_.string());
    EXPECT_EQ(default_prefix(root_.string(), "/usr/bin"), root_.string());
}

}  // namespace
}  // namespace ductile::cli::mpi_installation_test
