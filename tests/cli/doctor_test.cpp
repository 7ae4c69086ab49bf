// Doctor on the MPI that Ductile is built for, and on stand-ins that misbehave.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cli/doctor/examine.hpp"
#include "doctor_support.hpp"

namespace ductile::cli::doctor_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* hang_whatever_comes =
    "trap '' TERM INT HUP\n"
    "setsid sh -c 'trap \"\" TERM INT HUP; while :; do sleep 0.1; done' &\n"
    "while :; do sleep 0.1; done\n";
constexpr const char* answer_as_hydra =
    "if [ \"$1\" = --version ]; then\n"
    "  echo 'HYDRA build details:'; echo '    Version: 5.0.2'\n"
    "  echo '    Configure options: --with-device=ch4:ucx,ofi'; exit 0\n"
    "fi\n";

constexpr const char* answer_as_open_mpi =
    "if [ \"$1\" = --version ]; then echo 'mpiexec (OpenRTE) 4.1.8'; exit 0; fi\n";

const std::string default_mpicc = std::string(DUCTILE_TEST_MPI_HOME) + "/bin/mpicc";

// The files that ranks of MPICH have in shared memory.
std::set<std::string> shared_memory() {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
        if (entry.path().filename().string().starts_with("mpich_shm_"))
            found.insert(entry.path().string());
    return found;
}

TEST_F(DoctorTest, FindsTheDefaultMpiWell) {
    const auto before = shared_memory();
    const auto result = run_command(doctor({"--json"}));
    EXPECT_EQ(result.ended, rms::Ended::exited);
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    EXPECT_EQ(result.err, "") << "no talk into a pipe";
    const auto report = nlohmann::json::parse(result.out);
    for (const auto& finding : report.at("findings"))
        EXPECT_EQ(finding.at("verdict"), "ok") << finding;
    EXPECT_EQ(report.at("usable"), true);
    EXPECT_EQ(report.at("prefix"), DUCTILE_TEST_MPI_HOME);
    EXPECT_EQ(report.at("starts").at(0), "launch");
    EXPECT_EQ(report.at("connects").at(0), "bridge");
    EXPECT_EQ(report.at("capabilities").at("version"), DUCTILE_TEST_MPI_VERSION);
    EXPECT_EQ(report.at("findings").size(), 16U);
    EXPECT_EQ(report.at("capabilities").at("agents_start_ranks"), true);
    EXPECT_EQ(what_of(report, "pmi1"), "two ranks speak PMI-1 and are one world");
    expect_nothing_left();
    EXPECT_EQ(shared_memory(), before);
}

TEST_F(DoctorTest, AMissingPrefixIsSaid) {
    const auto result = run_command(doctor({"--mpi", "/nowhere/mpi"}));
    EXPECT_EQ(result.code, 1);
    EXPECT_NE(result.out.find("FAIL  mpi                     there is no directory /nowhere/mpi"),
              std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("Ductile cannot use this MPI."), std::string::npos);
    expect_nothing_left();
}

TEST_F(DoctorTest, MissingToolsAreSaid) {
    const TestFolder prefix;
    prefix.add_script("bin/mpiexec", answer_as_hydra);
    const auto no_compiler = run_command(doctor({"--mpi", prefix.path().string()}));
    EXPECT_EQ(no_compiler.code, 1);
    EXPECT_NE(no_compiler.out.find("there is no mpicc in " + prefix.path().string() + "/bin"),
              std::string::npos);

    prefix.add_script("bin/mpicc", "echo 'mpicc: exec: cc: not found' >&2; exit 127\n");
    const auto broken_compiler = run_command(doctor({"--mpi", prefix.path().string()}));
    EXPECT_EQ(broken_compiler.code, 1);
    EXPECT_NE(broken_compiler.out.find("cannot build a program: mpicc: exec: cc: not found"),
              std::string::npos);
    EXPECT_NE(broken_compiler.out.find("-> install a C compiler"), std::string::npos);

    std::filesystem::remove(prefix.path() / "bin/mpiexec");
    const auto no_launcher = run_command(doctor({"--mpi", prefix.path().string()}));
    EXPECT_NE(no_launcher.out.find("there is no mpiexec in " + prefix.path().string() + "/bin"),
              std::string::npos);
    expect_nothing_left();
}

TEST_F(DoctorTest, WithoutItsPartsItCannotRun) {
    const TestFolder elsewhere;
    const auto runner = std::filesystem::path("libexec") / "ductile" / "probe-ranks";
    std::filesystem::create_directory(elsewhere.path() / "bin");
    std::filesystem::create_directories((elsewhere.path() / runner).parent_path());
    std::filesystem::copy(DUCTILE_TEST_DOCTOR, elsewhere.path() / "bin/ductile");
    auto command = doctor({});
    command.arguments.front() = (elsewhere.path() / "bin/ductile").string();
    const auto expect_missing = [&](const std::string& part) {
        const auto result = run_command(command);
        EXPECT_EQ(result.code, 2);
        EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
        expect_nothing_left();
    };
    expect_missing(runner.string());
    std::ofstream(elsewhere.path() / runner) << "";
    expect_missing("share/ductile/probes");
}

TEST_F(DoctorTest, ALauncherThatHangsAtOnceIsLeftInTime) {
    const TestFolder prefix;
    prefix.add_script("bin/mpicc", "exec " + default_mpicc + " \"$@\"\n");
    prefix.add_script("bin/mpiexec", hang_whatever_comes);
    const auto result = run_command(doctor({"--mpi", prefix.path().string()}));
    EXPECT_EQ(result.code, 1);
    EXPECT_LT(result.took, seconds(20));
    EXPECT_NE(result.out.find("bin/mpiexec --version: no end within 10.0 s"), std::string::npos)
        << result.out;
    expect_nothing_left();
}

TEST_F(DoctorTest, ALauncherThatHangsInTheFirstRunIsLeftInTime) {
    const TestFolder prefix;
    prefix.add_script("bin/mpicc", "exec " + default_mpicc + " \"$@\"\n");
    prefix.add_script("bin/mpiexec", std::string(answer_as_open_mpi) + hang_whatever_comes);
    const auto result = run_command(doctor({"--mpi", prefix.path().string(), "--json"}));
    EXPECT_EQ(result.code, 1);
    EXPECT_LT(result.took, seconds(45));
    const auto report = nlohmann::json::parse(result.out);
    EXPECT_EQ(verdict_of(report, "mpi"), "ok");
    EXPECT_EQ(verdict_of(report, "thread_level"), "fail");
    EXPECT_EQ(verdict_of(report, "not_run"), "fail");
    EXPECT_EQ(verdict_of(report, "spawn"), "none");
    EXPECT_NE(result.out.find("no end within 20.0 s"), std::string::npos) << result.out;
    expect_nothing_left();
}

TEST_F(DoctorTest, ALauncherThatHangsAfterItsRunIsLeftInTime) {
    // It runs the ranks well, and leaves processes behind that hide where they come from.
    const TestFolder prefix;
    prefix.add_script("bin/mpicc", "exec " + default_mpicc + " \"$@\"\n");
    prefix.add_script("bin/mpiexec",
                      "[ \"$1\" != --version ] || { echo another MPI 1.0; exit 0; }\n"
                      "DUCTILE_COMMAND= setsid sh -c 'echo fact ranks 2; sleep 1000' &\n"
                      "exec " +
                          std::string(DUCTILE_TEST_MPI_HOME) + "/bin/mpiexec \"$@\"\n");
    ExamineOptions options;
    options.prefix = prefix.path().string();
    options.probe_sources = DUCTILE_TEST_PROBES;
    options.scratch_parent = temporary_.path();
    options.environment = rms::current_environment();
    options.environment["DUCTILE_TEST_MARK"] = mark();
    int probes = 0;
    options.progress = [&probes](const std::string& what) {
        if (what == "spawn" && ++probes == 1) throw ExaminationCancelled();  // one probe is enough
    };
    EXPECT_THROW(static_cast<void>(examine(options)), ExaminationCancelled);
    EXPECT_EQ(probes, 1);
    expect_nothing_left();
}

/// A prefix of an "MPICH 5.0.2". Its mpicc makes programs by the shell lines `make_program`.
void make_mpich(const TestFolder& prefix, const std::string& make_program) {
    prefix.add_script("bin/mpiexec", std::string(answer_as_hydra) + "exit 1\n");
    prefix.add_script("bin/mpicc", "[ \"$1\" = -o ] || exit 1\n" + make_program);
}

TEST_F(DoctorTest, AnMpiThatNeverSpeaksPmi1IsNamed) {
    const TestFolder prefix;
    std::ofstream(prefix.path() / "singleton.c")
        << "#include <stdio.h>\nint main(void) { puts(\"fact ranks 1\"); puts(\"pass\"); }\n";
    make_mpich(prefix, "exec cc -o \"$2\" '" + (prefix.path() / "singleton.c").string() + "'\n");
    const auto result = run_command(doctor({"--mpi", prefix.path().string()}));
    EXPECT_EQ(result.code, 1);
    EXPECT_LT(result.took, seconds(20));
    for (const char* part :
         {"FAIL  pmi1                    it does not speak PMI-1 (PMI_PORT), by which Ductile "
          "starts "
          "ranks; each rank is a world of its own",
          " has ended and has not spoken PMI-1", "-> take an MPI that is built with PMI-1",
          "not tried, because a test that they need failed: thread_level, ",
          "Ductile cannot use this MPI."})
        EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
    expect_nothing_left();
}

TEST_F(DoctorTest, RanksThatHangAreLeftInTime) {
    const TestFolder prefix;
    make_mpich(prefix, "{ echo '#!/bin/sh'; cat '" + (prefix.path() / "hang").string() +
                           "'; } >\"$2\"; chmod +x \"$2\"\n");
    std::ofstream(prefix.path() / "hang") << hang_whatever_comes;
    const auto result = run_command(doctor({"--mpi", prefix.path().string(), "--json"}));
    EXPECT_EQ(result.code, 1);
    EXPECT_LT(result.took, seconds(45));
    const auto report = nlohmann::json::parse(result.out);
    EXPECT_EQ(verdict_of(report, "mpi"), "ok");
    EXPECT_EQ(verdict_of(report, "pmi1"), "fail");
    EXPECT_EQ(verdict_of(report, "thread_level"), "none");
    EXPECT_NE(what_of(report, "pmi1").find("no end within 20.0 s"), std::string::npos);
    expect_nothing_left();
}

/// Starts doctor, waits until a process of it runs whose command line has `running`, and sends
/// doctor a signal. Returns the wait status of doctor.
int interrupt(const rms::Command& command, const std::string& mark, const std::string& running,
              int signal_number) {
    std::vector<std::string> entries;
    for (const auto& [name, value] : command.environment) entries.push_back(name + "=" + value);
    std::vector<char*> environment;
    for (auto& entry : entries) environment.push_back(entry.data());
    environment.push_back(nullptr);
    auto words = command.arguments;
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t pid = 0;
    if (posix_spawn(&pid, arguments[0], nullptr, nullptr, arguments.data(), environment.data()) !=
        0)
        return -1;
    const auto is_running = [&] {
        for (const auto& line : processes_with("DUCTILE_TEST_MARK=" + mark))
            if (line.find(running) != std::string::npos) return true;
        return false;
    };
    for (int i = 0; i < 1200 && !is_running(); ++i) std::this_thread::sleep_for(milliseconds(50));
    kill(pid, signal_number);
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

TEST_F(DoctorTest, CtrlCClearsUp) {
    for (const int number : {SIGINT, SIGTERM}) {
        const int status = interrupt(doctor({}), mark(), "probe-newcomer_killed", number);
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 128 + number);
        expect_nothing_left();
    }
}

TEST_F(DoctorTest, CtrlCClearsUpAfterTheCompiler) {
    const TestFolder prefix;
    make_mpich(prefix, ": >\"${TMPDIR:-/tmp}/half.o\"; exec sleep 1357\n");
    const auto command = doctor({"--mpi", prefix.path().string()});
    const int status = interrupt(command, mark(), "1357", SIGINT);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
    expect_nothing_left();
}

TEST_F(DoctorTest, EvenKilledItLeavesNoProcess) {
    interrupt(doctor({}), mark(), "probe-newcomer_killed", SIGKILL);
    for (int i = 0; i < 500 && !processes_left().empty(); ++i)
        std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(processes_left(), std::vector<std::string>{});
}

}  // namespace
}  // namespace ductile::cli::doctor_test
