// A directory that belongs to this user alone. All operations use descriptors. So nobody can put
// another directory or a link in its place between the check and the use.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "os/fd.hpp"

namespace ductile::os {

/// Whether only this user and root can rename what this user makes in the directory `path`.
bool is_safe_place(const std::string& path);

/// An open directory of this user, with mode 0700. Names of children are single path components.
class PrivateDirectory {
  public:
    /// The directory at `path`; nullopt if there is none. Throws SystemError, with the path and the
    /// reason, if the last component is not a directory (a link is not one), cannot be opened,
    /// belongs to another user, or gives other users access.
    static std::optional<PrivateDirectory> find(const std::string& path);
    /// Like find(), but makes a missing directory, with mode 0700 under any umask. Also throws
    /// SystemError if the directory cannot be made.
    static PrivateDirectory make(const std::string& path);

    [[nodiscard]] std::optional<PrivateDirectory> find_child(const std::string& name) const;
    /// Throws like make(), also if this directory has been removed meanwhile.
    [[nodiscard]] PrivateDirectory make_child(const std::string& name) const;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int fd() const { return fd_.get(); }
    /// The names of the children without "." and "..", sorted. None if they cannot be read.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Whether somebody has removed this directory.
    [[nodiscard]] bool is_removed() const;
    [[nodiscard]] bool is_empty() const { return names().empty(); }

    /// Makes a file in this directory that marks the directory as made by Ductile. Ductile only
    /// cleans up marked directories. Throws SystemError if it cannot make the file.
    void set_mark() const;
    [[nodiscard]] bool has_mark() const;

    /// Removes a child with all its contents. Follows no link. What cannot be removed stays.
    void remove_child(const std::string& name) const;
    /// Removes all children except the mark.
    void clear() const;

  private:
    PrivateDirectory(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
    static std::optional<PrivateDirectory> open(int parent, const std::string& name,
                                                const std::string& path);
    static PrivateDirectory make(int parent, const std::string& name, const std::string& path);

    std::string path_;
    Fd fd_;
};

}  // namespace ductile::os
