// The folder of a study: its file, and the results of each run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/workload/submission.hpp"
#include "os/fd.hpp"
#include "os/private_directory.hpp"
#include "workload/records.hpp"
#include "workload/study.hpp"

namespace ductile::cli {

class StudyFolder {
  public:
    /// Opens the folder for runs of the study that is in the file, and makes a missing folder.
    /// Throws InputError if the folder belongs to another study, or if another process runs a study
    /// in it.
    static StudyFolder for_runs(const std::string& folder, const std::string& study_file);
    /// Opens the folder to read its results. Throws InputError if it is no folder of a study.
    static StudyFolder for_results(const std::string& folder);

    [[nodiscard]] const workload::Study& study() const { return study_; }
    /// Where a run is executed. The names of its jobs are unique to this folder.
    [[nodiscard]] RunPlace place(const std::string& run) const;

    /// The results of a run; none if the run is not complete.
    [[nodiscard]] std::optional<std::vector<workload::JobRecord>> results(
        const std::string& run) const;
    /// Makes an empty folder for a run. Removes an existing folder of this run first.
    void begin(const std::string& run) const;
    void keep_results(const std::string& run,
                      const std::vector<workload::JobRecord>& records) const;

  private:
    [[nodiscard]] std::string path(const std::string& run) const;
    StudyFolder(os::PrivateDirectory directory, std::string name, workload::Study study,
                os::Fd lock)
        : directory_(std::move(directory)),
          name_(std::move(name)),
          study_(std::move(study)),
          lock_(std::move(lock)) {}

    os::PrivateDirectory directory_;
    std::string name_;
    workload::Study study_;
    os::Fd lock_;
};

}  // namespace ductile::cli
