// Hosts from the user's own program (docs/resource-managers.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rms/resource_manager.hpp"

namespace ductile::rms {

struct ProgramSettings {
    std::vector<std::string> command;  ///< the program and its arguments
    std::string directory;             ///< where the program runs; empty: where this process runs
    std::vector<std::string> remote_shell;  ///< a template for fill_remote_shell()
    std::string job;
    core::Allocation held;  ///< the hosts that the job has already
    int most_slots = 0;     ///< the most slots of a host that the job uses; 0: no limit
};

/// attach() starts the program, and throws NotStarted when this fails. When the resource manager is
/// destroyed, the program has two seconds to end. Throws InputError if `command` is
/// empty, and as make_hosts() does.
std::unique_ptr<ResourceManager> make_program(ProgramSettings settings);

}  // namespace ductile::rms
