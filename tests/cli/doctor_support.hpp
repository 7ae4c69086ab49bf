// Runs doctor as a user would, and checks afterwards which files and processes it has left.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rms/command.hpp"

namespace ductile::cli {

/// A folder for one test, which is removed at the end of the test.
class TestFolder {
  public:
    TestFolder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "ductile-doctor-test-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~TestFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Writes a shell script that can be run, in a folder below this one.
    void add_script(const std::filesystem::path& name, const std::string& lines) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name) << "#!/bin/sh\n" << lines;
        std::filesystem::permissions(path_ / name, std::filesystem::perms::owner_all);
    }

  private:
    std::filesystem::path path_;
};

/// Command lines of living processes that carry the variable in their environment.
inline std::vector<std::string> processes_with(const std::string& variable) {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
        const auto read = [&entry](const char* file) {
            std::ifstream in(entry.path() / file, std::ios::binary);
            std::string text(64 * 1024, '\0');
            in.read(text.data(), static_cast<std::streamsize>(text.size()));
            text.resize(static_cast<std::size_t>(in.gcount()));
            return text;
        };
        if (read("environ").find(variable) != std::string::npos) found.push_back(read("cmdline"));
    }
    return found;
}

/// `doctor` with a folder of its own for temporary files, and with a variable in the environment
/// that marks all processes that it starts.
class DoctorTest : public testing::Test {
  protected:
    [[nodiscard]] rms::Command doctor(const std::vector<std::string>& options) const {
        rms::Command command;
        command.arguments = {DUCTILE_TEST_DOCTOR, "doctor"};
        command.arguments.insert(command.arguments.end(), options.begin(), options.end());
        command.environment = rms::current_environment();
        command.environment["TMPDIR"] = temporary_.path().string();
        command.environment["DUCTILE_TEST_MARK"] = mark();
        command.deadline = std::chrono::seconds(240);
        return command;
    }

    [[nodiscard]] std::string mark() const { return temporary_.path().filename().string(); }

    [[nodiscard]] std::vector<std::string> processes_left() const {
        return processes_with("DUCTILE_TEST_MARK=" + mark());
    }

    void expect_nothing_left() const {
        EXPECT_TRUE(std::filesystem::is_empty(temporary_.path())) << "files were left";
        EXPECT_EQ(processes_left(), std::vector<std::string>{});
    }

    static std::string verdict_of(const nlohmann::json& report, const std::string& probe) {
        return field_of(report, probe, "verdict");
    }
    static std::string what_of(const nlohmann::json& report, const std::string& probe) {
        return field_of(report, probe, "what");
    }

    TestFolder temporary_;

  private:
    static std::string field_of(const nlohmann::json& report, const std::string& probe,
                                const char* field) {
        for (const auto& finding : report.at("findings"))
            if (finding.at("probe") == probe) return finding.at(field);
        return "none";
    }
};

}  // namespace ductile::cli
