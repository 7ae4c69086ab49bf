// The private directory of an agent or of a job's broker, where its socket lies.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "os/private_directory.hpp"

namespace ductile::agent {

/// Where this user's jobs and agents have their directories: <$XDG_RUNTIME_DIR>/ductile-UID, or
/// that in /tmp where the variable is not set, names no directory that can be written, or is too
/// long for a socket's path.
[[nodiscard]] std::string runtime_parent();

/// That directory, if it is there. Throws SystemError when it is not this user's alone.
[[nodiscard]] std::optional<os::PrivateDirectory> find_runtime_parent();

/// The journal in a job's directory, which is kept while it may be of use.
[[nodiscard]] std::string journal_in(const std::string& directory);

/// runtime_parent()/MARKER, mode 0700, marked as made by Ductile.
class RuntimeDirectory {
  public:
    enum class Contents { cleared, kept };
    /// What becomes of the directory with this object.
    enum class AtEnd { removed, kept };

    /// Makes the directory. One of the same name must be a dead agent's (its socket refuses) and is
    /// cleared, or, of a broker whose job is taken over, kept. Throws SystemError when a directory
    /// on the way is not ours or open to others, or when a living agent holds it.
    explicit RuntimeDirectory(const std::string& marker, Contents contents = Contents::cleared);
    ~RuntimeDirectory();
    RuntimeDirectory(const RuntimeDirectory&) = delete;
    RuntimeDirectory& operator=(const RuntimeDirectory&) = delete;

    void at_end(AtEnd what) { at_end_ = what; }
    [[nodiscard]] const std::string& path() const { return directory_.path(); }
    /// Someone has removed it while it is in use.
    [[nodiscard]] bool is_removed() const { return directory_.is_removed(); }
    [[nodiscard]] std::string socket_path() const { return path() + "/agent.sock"; }
    /// Where the agent's StaleFiles are recorded.
    [[nodiscard]] std::string stale_files_path() const { return path() + "/stale_files"; }

  private:
    RuntimeDirectory(const std::string& marker, Contents contents, os::PrivateDirectory parent);

    std::string marker_;
    os::PrivateDirectory parent_, directory_;
    AtEnd at_end_ = AtEnd::removed;
};

/// Removes what agents and brokers that were killed have left beside: directories whose names begin
/// so, that carry Ductile's mark, are at least this old and hold no socket that answers, and the
/// stale files that are recorded in them. Those that hold a journal are kept for a week, so that
/// the job can be taken over. Errors are left to the next time.
void remove_dead_directories(std::chrono::seconds age, const std::string& beginning = "");

}  // namespace ductile::agent
