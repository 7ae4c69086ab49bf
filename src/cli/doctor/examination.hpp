// What doctor found about an MPI: values that the probes record and `diagnose` judges.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ductile::cli {

/// An MPI prefix and its tools. A missing tool has an empty path.
struct MpiInstallation {
    std::string prefix;
    std::string mpicc;
    std::string mpiexec;
    /// The folder of the MPI's library. It is set only if another MPI's mpicc builds the probes.
    std::string library_folder = {};
};

enum class ProbeState { passed, failed, not_run };

struct ProbeResult {
    std::string probe;
    ProbeState state = ProbeState::not_run;
    std::string trouble;  ///< why it failed; if it did not run: the probe that it needs
    std::map<std::string, std::string>
        facts;  ///< its lines `fact KEY VALUE`; values of a repeated key are joined by newlines
    std::vector<std::string> left_behind;  ///< command lines of processes that its runs left behind
};

struct Examination {
    MpiInstallation installation;
    bool prefix_exists = false;
    std::string launcher_text;     ///< what `mpiexec --version` prints
    std::string launcher_trouble;  ///< why this command failed; else empty
    std::string build_trouble;     ///< why mpicc could not build a probe; else empty
    std::vector<ProbeResult> results;

    /// The result with that name, or nullptr.
    [[nodiscard]] const ProbeResult* find(const std::string& probe) const {
        for (const auto& result : results)
            if (result.probe == probe) return &result;
        return nullptr;
    }
};

}  // namespace ductile::cli
