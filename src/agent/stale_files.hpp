// Files of the MPI library that a killed process leaves behind.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ductile::agent {

/// True for a path that an MPI library uses for its shared memory. Only such files are removed.
[[nodiscard]] bool is_stale_file(std::string_view path);

/// Finds the files that living processes hold, and removes them when the processes have ended. The
/// record lists these files, for the clean-up after a killed agent.
class StaleFiles {
  public:
    explicit StaleFiles(std::string record) : record_(std::move(record)) {}

    /// Notes the files that a process has mapped. A process that is gone holds none.
    void note(pid_t pid);
    /// Notes the files that these processes have mapped or open.
    void note_all(const std::vector<pid_t>& pids);
    /// Removes the noted files that still exist. The processes must have ended.
    void remove();

  private:
    void note_open(pid_t pid);
    void add(const std::string& path);

    std::string record_;
    std::set<std::string> found_;
};

/// Removes the files that a dead agent's record lists.
void remove_recorded_stale_files(const std::string& record);

}  // namespace ductile::agent
