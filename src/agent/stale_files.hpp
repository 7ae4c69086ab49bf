// Files of the MPI library that a process leaves behind when it is killed.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ductile::agent {

/// True for a name that an MPI library gives its shared memory. Only such files are ever removed.
[[nodiscard]] bool is_stale_file(std::string_view path);

/// Finds the files that processes hold, while they live, and removes them once they have ended.
/// A record of what was found serves whoever clears after an agent that was killed.
class StaleFiles {
  public:
    explicit StaleFiles(std::string record) : record_(std::move(record)) {}

    /// Looks at what a rank has mapped. A process that is gone holds nothing.
    void note(pid_t pid);
    /// Looks at what these processes have mapped or open.
    void note_all(const std::vector<pid_t>& pids);
    /// Removes what was noted and is there still. The processes must have ended.
    void remove();

  private:
    void note_open(pid_t pid);
    void add(const std::string& path);

    std::string record_;
    std::set<std::string> found_;
};

/// Removes what a dead agent's record names.
void remove_recorded_stale_files(const std::string& record);

}  // namespace ductile::agent
