// Which resource manager a job's options name.
#pragma once

#include <memory>
#include <string>

#include "cli/job_origin.hpp"
#include "cli/settings.hpp"
#include "core/allocation.hpp"
#include "rms/resource_manager.hpp"

namespace ductile::cli {

/// `ranks`: what the job begins with, for which logical hosts are made to have enough slots.
/// Throws InputError when the options contradict each other or name what there is not.
std::unique_ptr<rms::ResourceManager> make_resource_manager(Settings& settings, int ranks,
                                                            const std::string& job);

/// That of a job that is taken over, which holds these hosts.
std::unique_ptr<rms::ResourceManager> resource_manager_of(Settings& settings,
                                                          const JobOrigin& origin,
                                                          const std::string& job,
                                                          const core::Allocation& held);

}  // namespace ductile::cli
