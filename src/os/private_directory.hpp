// A directory that belongs to this user alone. Everything is done by descriptors, so that nobody
// can put another directory or a link in its place between the check and the use.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "os/fd.hpp"

namespace ductile::os {

/// Whether nobody but this user and root can rename what this user makes in the directory `path`.
bool is_safe_place(const std::string& path);

/// An open directory of this user's, mode 0700. Names of children are single path components.
class PrivateDirectory {
  public:
    /// The directory at `path`; nothing when there is none. Throws SystemError, with the path and
    /// what is wrong, when the last component is no directory (a link to one is none), belongs to
    /// another user, or lets others in.
    static std::optional<PrivateDirectory> find(const std::string& path);
    /// As find(), or makes it, with mode 0700 under any umask.
    static PrivateDirectory make(const std::string& path);

    [[nodiscard]] std::optional<PrivateDirectory> find_child(const std::string& name) const;
    /// Throws SystemError when this directory has been removed meanwhile, as find() otherwise.
    [[nodiscard]] PrivateDirectory make_child(const std::string& name) const;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int fd() const { return fd_.get(); }
    /// Without "." and "..", sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Someone has removed it.
    [[nodiscard]] bool is_removed() const;
    [[nodiscard]] bool is_empty() const { return names().empty(); }

    /// The mark says that Ductile made this directory: only marked ones are ever swept. Throws
    /// SystemError.
    void set_mark() const;
    [[nodiscard]] bool has_mark() const;

    /// Removes a child with all that is in it; follows no link. What cannot be removed stays.
    void remove_child(const std::string& name) const;
    /// Removes all children but the mark.
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
