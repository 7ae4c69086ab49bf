// What doctor saw of an MPI: values, recorded by the probes and judged by `diagnose`.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ductile::cli {

/// An MPI prefix and its tools. A tool that is not there has an empty path.
struct MpiInstallation {
    std::string prefix;
    std::string mpicc;
    std::string mpiexec;
    /// Of its library, where the probes have to be told, since another MPI's mpicc builds them.
    std::string library_folder = {};
};

enum class ProbeState { passed, failed, not_run };

struct ProbeResult {
    std::string probe;
    ProbeState state = ProbeState::not_run;
    std::string trouble;  ///< why it failed, or which failed probe it waits for
    std::map<std::string, std::string>
        facts;  ///< what it printed as `fact KEY VALUE`; repeated keys: lines
    std::vector<std::string>
        left_behind;  ///< command lines of processes still there after their run
};

struct Examination {
    MpiInstallation installation;
    bool prefix_exists = false;
    std::string launcher_text;     ///< what `mpiexec --version` prints
    std::string launcher_trouble;  ///< why it printed nothing of use; empty when it did
    std::string build_trouble;     ///< why mpicc could not build a probe; empty when it could
    std::vector<ProbeResult> results;

    /// The result of that name, or nullptr.
    [[nodiscard]] const ProbeResult* find(const std::string& probe) const {
        for (const auto& result : results)
            if (result.probe == probe) return &result;
        return nullptr;
    }
};

}  // namespace ductile::cli
