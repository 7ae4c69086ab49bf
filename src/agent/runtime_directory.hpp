// The private directory of an agent or of a job's broker, which holds its socket.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "os/private_directory.hpp"

namespace ductile::agent {

/// The parent of the directories of this user's jobs and agents: <$XDG_RUNTIME_DIR>/ductile-UID. It
/// is /tmp/ductile-UID if the variable is not set, names no safe directory that can be written, or
/// is too long for the path of a socket.
[[nodiscard]] std::string runtime_parent();

/// The directory runtime_parent(), if it exists. Throws SystemError if it does not belong to this
/// user, or if other users have access to it.
[[nodiscard]] std::optional<os::PrivateDirectory> find_runtime_parent();

/// The path of the journal in a job's directory.
[[nodiscard]] std::string journal_in(const std::string& directory);

/// runtime_parent()/MARKER, mode 0700, marked as made by Ductile.
class RuntimeDirectory {
  public:
    enum class Contents { cleared, kept };
    /// Whether the destructor removes the directory.
    enum class AtEnd { removed, kept };

    /// Makes the directory. If the directory exists, Ductile must have made it for an agent or a
    /// broker that is dead. The contents are then cleared, or kept for a takeover. Throws
    /// SystemError if the directory or its parent is not ours or is open to others, if it has
    /// contents but not Ductile's mark, or if an agent answers at the socket in it.
    explicit RuntimeDirectory(const std::string& marker, Contents contents = Contents::cleared);
    ~RuntimeDirectory();
    RuntimeDirectory(const RuntimeDirectory&) = delete;
    RuntimeDirectory& operator=(const RuntimeDirectory&) = delete;

    void at_end(AtEnd what) { at_end_ = what; }
    [[nodiscard]] const std::string& path() const { return directory_.path(); }
    /// Whether somebody has removed the directory while it is in use.
    [[nodiscard]] bool is_removed() const { return directory_.is_removed(); }
    [[nodiscard]] std::string socket_path() const { return path() + "/agent.sock"; }
    /// The record of the agent's StaleFiles.
    [[nodiscard]] std::string stale_files_path() const { return path() + "/stale_files"; }

  private:
    RuntimeDirectory(const std::string& marker, Contents contents, os::PrivateDirectory parent);

    std::string marker_;
    os::PrivateDirectory parent_, directory_;
    AtEnd at_end_ = AtEnd::removed;
};

/// Removes the directories that killed agents and brokers have left, and the stale files that are
/// recorded in them. A directory is removed if its name begins with `beginning`, if it has
/// Ductile's mark, if its last change is at least `age` ago, and if no socket in it answers. A
/// directory with a journal is kept for a week after its last change, so that the job can be taken
/// over. On an error, the directory is left for the next call.
void remove_dead_directories(std::chrono::seconds age, const std::string& beginning = "");

}  // namespace ductile::agent
