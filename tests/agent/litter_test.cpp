#include "agent/litter.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agent/stand_in.hpp"
#include "rms/proc.hpp"

namespace ductile::agent {
namespace {

namespace fs = std::filesystem;

TEST(IsLitter, OnlyWhatMpiLibrariesLeave) {
    EXPECT_TRUE(is_litter("/dev/shm/mpich_shm_48d45892_0"));
    EXPECT_TRUE(is_litter("/dev/shm/Intel_MPI_dVsbIB"));
    EXPECT_TRUE(is_litter("/tmp/hydra_hwloc_xmlfile_TLLg5B"));
    for (const auto* path :
         {"", "/", "/dev/shm/", "/dev/shm/mpich_shm_", "/dev/shm/mine", "/tmp/hydra_hwloc_xmlfile_",
          "/dev/shm/mpich_shm_1/../../../etc/x", "/tmp/hydra_hwloc_xmlfile_a/b",
          "/dev/shm/mpich_shm_1 (deleted)", "mpich_shm_1", "/home/dev/shm/mpich_shm_1"})
        EXPECT_FALSE(is_litter(path)) << path;
}

class LitterTest : public ::testing::Test {
  protected:
    LitterTest() {
        char name[] = "/tmp/ductile-litter-XXXXXX";
        directory = ::mkdtemp(name);
        shared = "/dev/shm/mpich_shm_ductile-test-" + std::to_string(::getpid());
        notes = "/tmp/hydra_hwloc_xmlfile_ductile-test-" + std::to_string(::getpid());
        // A parent that has one file open, and its child that has mapped the other.
        holder = ::fork();
        if (holder == 0) {
            [[maybe_unused]] const int open = ::open(notes.c_str(), O_CREAT | O_RDWR, 0600);
            if (::fork() == 0) {
                const int file = ::open(shared.c_str(), O_CREAT | O_RDWR, 0600);
                if (::ftruncate(file, 4096) != 0) ::_exit(1);
                ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
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
    ~LitterTest() override {
        end();
        fs::remove(shared);
        fs::remove(notes);
        fs::remove_all(directory);
    }
    void end() {
        if (holder == 0) return;
        ::kill(child, SIGKILL);
        ::kill(holder, SIGKILL);
        ::waitpid(std::exchange(holder, 0), nullptr, 0);
        // The child is nobody's to wait for here; killed is not yet gone.
        for (int i = 0; i < 1000; ++i) {
            const auto process = rms::read_process(child);
            if (!process || process->is_dead()) return;
            ::usleep(1000);
        }
    }
    [[nodiscard]] std::string record() const { return directory + "/litter"; }

    std::string directory, shared, notes;
    pid_t holder = 0, child = 0;
};

TEST_F(LitterTest, WhatAProcessAndItsAncestorsHoldIsRemoved) {
    ASSERT_GT(child, 0);
    Litter litter(record());
    litter.note(child);
    EXPECT_TRUE(fs::exists(shared) && fs::exists(notes));
    end();
    litter.remove();
    EXPECT_FALSE(fs::exists(shared));
    EXPECT_FALSE(fs::exists(notes));
}

TEST_F(LitterTest, WhatProcessesHoldIsRemoved) {
    ASSERT_GT(child, 0);
    Litter litter(record());
    litter.note_all({holder, child});
    end();
    litter.remove();
    EXPECT_FALSE(fs::exists(shared));
    EXPECT_FALSE(fs::exists(notes));
}

TEST_F(LitterTest, TheRecordServesAfterADeath) {
    ASSERT_GT(child, 0);
    const auto other = directory + "/other";
    std::ofstream(other) << "keep";
    {
        Litter litter(record());
        litter.note(child);
    }
    std::ofstream(record(), std::ios::app) << other << "\n\nnonsense\n";
    end();
    remove_recorded_litter(record());
    EXPECT_FALSE(fs::exists(shared));
    EXPECT_FALSE(fs::exists(notes));
    EXPECT_TRUE(fs::exists(other));
    remove_recorded_litter(directory + "/no such record");
}

TEST_F(LitterTest, ProcessThatIsGoneHoldsNothing) {
    end();
    Litter litter(record());
    litter.note(child);
    litter.remove();
    EXPECT_TRUE(fs::exists(shared));
}

// The stand-in's MPI makes a file, too; it is killed where nobody accepts, or ends badly itself.
TEST(StandInTest, LeavesNoFile) {
    const auto file = "/dev/shm/mpich_shm_ductile-test-stand-in-" + std::to_string(::getpid());
    char name[] = "/tmp/ductile-stand-in-XXXXXX";
    const std::string directory = ::mkdtemp(name);
    const auto program = directory + "/stand-in";
    for (const std::string end : {"sleep 60", "sleep 0.3; exit 1"}) {
        std::ofstream(program) << "#!/bin/sh\nexec 9>" << file << "\necho ready\n" << end << "\n";
        fs::permissions(program, fs::perms::owner_all);
        asio::io_context io;
        const auto stand_in = StandIn::start(io, program, {}, {}, "/dev/null");
        io.run_for(std::chrono::milliseconds(200));
        EXPECT_TRUE(fs::exists(file));
        if (end == "sleep 60") stand_in->kill();
        int status = 0;
        EXPECT_EQ(::waitpid(stand_in->pid(), &status, 0), stand_in->pid());
        EXPECT_FALSE(stand_in->reaped(status).ok);
        EXPECT_FALSE(fs::exists(file)) << end;
        fs::remove(file);
    }
    fs::remove_all(directory);
}

}  // namespace
}  // namespace ductile::agent
