#include "agent/stale_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agent/abort_connector.hpp"
#include "os/proc.hpp"

namespace ductile::agent::stale_files_test {
namespace {

namespace fs = std::filesystem;

TEST(IsStaleFile, OnlyWhatMpiLibrariesLeave) {
    EXPECT_TRUE(is_stale_file("/dev/shm/mpich_shm_48d45892_0"));
    EXPECT_TRUE(is_stale_file("/dev/shm/Intel_MPI_dVsbIB"));
    for (const auto* path :
         {"", "/", "/dev/shm/", "/dev/shm/mpich_shm_", "/dev/shm/mine", "/dev/shm/Intel_MPI_a/b",
          "/dev/shm/mpich_shm_1/../../../etc/x", "/dev/shm/mpich_shm_1 (deleted)", "mpich_shm_1",
          "/home/dev/shm/mpich_shm_1"})
        EXPECT_FALSE(is_stale_file(path)) << path;
}

class StaleFilesTest : public ::testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/ductile-stale-files-XXXXXX";
        directory = ::mkdtemp(name);
        shared = "/dev/shm/mpich_shm_ductile-test-" + std::to_string(::getpid());
        opened = "/dev/shm/Intel_MPI_ductile-test-" + std::to_string(::getpid());
        // The parent has one file open. Its child has mapped the other file.
        holder = ::fork();
        if (holder == 0) {
            [[maybe_unused]] const int open = ::open(opened.c_str(), O_CREAT | O_RDWR, 0600);
            if (::fork() == 0) {
                const int file = ::open(shared.c_str(), O_CREAT | O_RDWR, 0600);
                if (::ftruncate(file, 4096) != 0) ::_exit(1);
                if (::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED) ::_exit(1);
                ::close(file);
                const auto pid = std::to_string(::getpid());
                std::ofstream(directory + "/pid.new") << pid;
                fs::rename(directory + "/pid.new", directory + "/pid");
            }
            for (;;) ::pause();
        }
        for (int i = 0; i < 1000 && !fs::exists(directory + "/pid"); ++i) ::usleep(5000);
        std::ifstream(directory + "/pid") >> child;
    }
    void TearDown() override {
        end();
        fs::remove(shared);
        fs::remove(opened);
        fs::remove_all(directory);
    }
    void end() {
        if (holder == 0) return;
        ::kill(child, SIGKILL);
        ::kill(holder, SIGKILL);
        ::waitpid(std::exchange(holder, 0), nullptr, 0);
        // This process cannot wait for the child, which is not its own. A killed process may still
        // exist for a while.
        for (int i = 0; i < 1000; ++i) {
            const auto process = os::read_process(child);
            if (!process || process->is_dead()) return;
            ::usleep(1000);
        }
    }
    [[nodiscard]] std::string record() const { return directory + "/stale_files"; }

    std::string directory, shared, opened;
    pid_t holder = 0, child = 0;
};

TEST_F(StaleFilesTest, WhatAProcessHasMappedIsRemoved) {
    ASSERT_GT(child, 0);
    StaleFiles stale_files(record());
    stale_files.note(child);
    EXPECT_TRUE(fs::exists(shared) && fs::exists(opened));
    end();
    stale_files.remove();
    EXPECT_FALSE(fs::exists(shared));
    EXPECT_TRUE(fs::exists(opened));
}

TEST_F(StaleFilesTest, WhatProcessesHoldIsRemoved) {
    ASSERT_GT(child, 0);
    StaleFiles stale_files(record());
    stale_files.note_all({holder, child});
    end();
    stale_files.remove();
    EXPECT_FALSE(fs::exists(shared));
    EXPECT_FALSE(fs::exists(opened));
}

TEST_F(StaleFilesTest, TheRecordServesAfterADeath) {
    ASSERT_GT(child, 0);
    const auto other = directory + "/other";
    std::ofstream(other) << "keep";
    {
        StaleFiles stale_files(record());
        stale_files.note(child);
    }
    std::ofstream(record(), std::ios::app) << other << "\n\nnonsense\n";
    end();
    remove_recorded_stale_files(record());
    EXPECT_FALSE(fs::exists(shared));
    EXPECT_TRUE(fs::exists(other));
    remove_recorded_stale_files(directory + "/no such record");
}

TEST_F(StaleFilesTest, ProcessThatIsGoneHoldsNothing) {
    end();
    StaleFiles stale_files(record());
    stale_files.note(child);
    stale_files.remove();
    EXPECT_TRUE(fs::exists(shared));
}

// The MPI of an abort connector makes a file, too. The abort connector is killed if no process
// accepts, or fails by itself.
TEST(AbortConnectorTest, LeavesNoFile) {
    const auto file =
        "/dev/shm/mpich_shm_ductile-test-abort-connector-" + std::to_string(::getpid());
    char name[] = "/tmp/ductile-abort-connector-XXXXXX";
    const std::string directory = ::mkdtemp(name);
    const auto program = directory + "/abort-connector";
    for (const std::string end : {"sleep 60", "sleep 0.3; exit 1"}) {
        std::ofstream(program) << "#!/bin/sh\nexec 9>" << file << "\necho ready\n" << end << "\n";
        fs::permissions(program, fs::perms::owner_all);
        asio::io_context io;
        const auto abort_connector = AbortConnector::start(io, program, {}, {}, "/dev/null");
        io.run_for(std::chrono::milliseconds(200));
        EXPECT_TRUE(fs::exists(file));
        if (end == "sleep 60") abort_connector->kill();
        int status = 0;
        EXPECT_EQ(::waitpid(abort_connector->pid(), &status, 0), abort_connector->pid());
        EXPECT_FALSE(abort_connector->reaped(status).ok);
        EXPECT_FALSE(fs::exists(file)) << end;
        fs::remove(file);
    }
    fs::remove_all(directory);
}

}  // namespace
}  // namespace ductile::agent::stale_files_test
