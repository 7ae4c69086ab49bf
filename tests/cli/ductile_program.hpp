// Runs `ductile` as a user does.
#pragma once

#include <string>
#include <vector>

#include "rms/command.hpp"

namespace ductile::cli {

/// If `output` names a file, the standard output goes to this file.
inline rms::CommandResult run_ductile(const std::vector<std::string>& words,
                                      const std::string& directory = "",
                                      const std::string& output = "") {
    rms::Command command;
    command.arguments = {DUCTILE_TEST_PROGRAM};
    if (!output.empty())
        command.arguments = {"/bin/sh", "-c", "exec \"$@\" > \"$0\"", output, DUCTILE_TEST_PROGRAM};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.environment = {{"PATH", "/usr/bin:/bin"}};
    command.directory = directory;
    command.deadline = std::chrono::seconds(60);
    command.max_output_bytes = std::size_t{4} << 20U;
    return rms::run_command(command);
}

}  // namespace ductile::cli
