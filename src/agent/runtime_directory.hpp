// The private directory of an agent, where its socket lies.
#pragma once

#include <chrono>
#include <string>

namespace ductile::agent {

/// Where this user's jobs and agents have their directories: <$XDG_RUNTIME_DIR>/ductile-UID, or
/// that in /tmp where the variable is not set, names no directory that can be written, or is too
/// long for a socket's path.
[[nodiscard]] std::string runtime_parent();

/// The journal in a job's directory, which is kept while it may be of use.
[[nodiscard]] std::string journal_in(const std::string& directory);

/// runtime_parent()/MARKER, mode 0700, removed with what is in it at the end.
class RuntimeDirectory {
  public:
    enum class Contents { cleared, kept };

    /// Makes the directory. One of the same name must be a dead agent's (its socket refuses) and is
    /// cleared, or, of a broker whose job is taken over, kept. Throws SystemError when a directory
    /// on the way is not ours or open to others, or when a living agent holds it.
    explicit RuntimeDirectory(const std::string& marker, Contents contents = Contents::cleared);
    ~RuntimeDirectory();
    RuntimeDirectory(const RuntimeDirectory&) = delete;
    RuntimeDirectory& operator=(const RuntimeDirectory&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string socket_path() const { return path_ + "/agent.sock"; }
    /// Where the agent's Litter is recorded.
    [[nodiscard]] std::string litter_path() const { return path_ + "/litter"; }

  private:
    std::string path_;
};

/// Removes what agents and brokers that were killed have left beside: directories whose names begin
/// so, that are at least this old and hold no socket that answers, and the litter that is recorded
/// in them. Those that hold a journal are kept for a week, so that the job can be taken over.
/// Errors are left to the next time.
void remove_dead_directories(std::chrono::seconds age, const std::string& beginning = "");

}  // namespace ductile::agent
