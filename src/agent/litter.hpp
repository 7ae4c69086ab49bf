// Files of the MPI library's own that a process leaves behind when it is killed.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ductile::agent {

/// True for a name that an MPI library gives its shared memory or its launcher's notes: only such
/// files are ever removed.
[[nodiscard]] bool is_litter(std::string_view path);

/// What the processes of one group hold, found while they live and removed once they have ended.
/// What was found is recorded, too, for whoever clears after an agent that was killed.
class Litter {
  public:
    explicit Litter(std::string record) : record_(std::move(record)) {}

    /// Looks at what a rank has mapped, and at what those that it descends from (this process
    /// excepted) have open: cheap, while there is more to do. A process that is gone holds nothing.
    void note(pid_t pid);
    /// Looks at all that these processes hold.
    void note_all(const std::vector<pid_t>& pids);
    /// Removes what was noted and is there still. The processes must have ended.
    void remove();

  private:
    void note_mapped(pid_t pid);
    void note_open(pid_t pid);
    void add(const std::string& path);

    std::string record_;
    std::set<std::string> found_;
};

/// Removes what a dead agent's record names.
void remove_recorded_litter(const std::string& record);

}  // namespace ductile::agent
