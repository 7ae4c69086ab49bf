// Hosts from a program of the user's (docs/resource-managers.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rms/resource_manager.hpp"

namespace ductile::rms {

struct ProgramSettings {
    std::vector<std::string> command;       ///< the program and its arguments
    std::string directory;                  ///< where it runs; empty: here
    std::vector<std::string> remote_shell;  ///< as for make_hosts()
    std::string job;
    core::Allocation held;  ///< what the job has already
    int most_slots = 0;     ///< of a host; more are not used; 0: no limit
};

/// The program is started by attach(), which throws NotStarted when it cannot be. It is given two
/// seconds to end when the resource manager is destroyed. Throws InputError as make_hosts() does.
std::unique_ptr<ResourceManager> make_program(ProgramSettings settings);

}  // namespace ductile::rms
