// What the answers of a Slurm mean for malleable jobs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/diagnosis.hpp"

namespace ductile::cli {

/// The answer of a Slurm command.
struct SlurmAnswer {
    bool worked = false;
    std::string text;  ///< its standard output if it worked; otherwise the reason
    bool operator==(const SlurmAnswer&) const = default;
};

/// A trial of a sidecar, the Slurm job of one host by which a job grows: it was submitted, used and
/// cancelled.
struct SidecarTrial {
    bool was_idle = false;  ///< a host was idle, and granted at once by salloc; false: by sbatch
    SlurmAnswer submitted = {};
    std::optional<double> granted_after_s = {};  ///< none: no host while the trial waited
    double waited_s = 0;
    SlurmAnswer listed = {};  ///< the last squeue
    std::string state = {};   ///< the sidecar's last state: "PENDING (Resources)"
    SlurmAnswer step = {};    ///< a program on the granted host, by srun
    SlurmAnswer ended = {};   ///< the command that cancels the sidecar
};

/// The ductiled of the site.
struct SiteSeen {
    std::string file;    ///< the file of the site; empty: there is none
    SlurmAnswer answer;  ///< of ductiled, or why the file cannot be read
    bool was_asked = false;
};

struct SlurmSeen {
    SlurmAnswer version;                ///< sinfo --version
    SlurmAnswer config;                 ///< scontrol show config
    SlurmAnswer associations;           ///< sacctmgr show assoc, in the format `association_format`
    std::optional<SidecarTrial> trial;  ///< none: the Slurm does not answer
    SiteSeen site;
};

/// Whether a job in this state starts once there is a host for it: "CONFIGURING (None)", or
/// "PENDING" with the reason None, Priority or Resources.
[[nodiscard]] bool may_still_start(std::string_view state);

inline constexpr const char* association_format = "Account,MaxJobs,MaxSubmit,GrpJobs,GrpSubmit";

/// One finding for each thing that Ductile needs of a Slurm, or that a user has to know.
[[nodiscard]] std::vector<Finding> slurm_findings(const SlurmSeen& seen);

}  // namespace ductile::cli
