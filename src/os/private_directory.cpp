#include "os/private_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ductile/error.hpp"

namespace ductile::os {

namespace {

constexpr const char* mark_name = ".ductile";
constexpr int deepest_removed = 64;
constexpr mode_t others = 0077;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw SystemError("refused to use " + path + ": " + why +
                      "; it must be a directory that belongs to you, with mode 0700. Remove it, or "
                      "set XDG_RUNTIME_DIR to a directory of your own");
}

/// Empty if `directory` cannot be read.
std::vector<std::string> names_in(int directory) {
    std::vector<std::string> names;
    // Opens another descriptor: a duplicate would share the read position with `directory`.
    const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* stream = own < 0 ? nullptr : ::fdopendir(own);
    if (stream == nullptr) {
        if (own >= 0) ::close(own);
        return names;
    }
    while (const dirent* entry = ::readdir(stream)) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    ::closedir(stream);
    std::ranges::sort(names);
    return names;
}

void remove_tree(int parent, const std::string& name, int depth) {
    if (::unlinkat(parent, name.c_str(), 0) == 0 || (errno != EISDIR && errno != EPERM)) return;
    if (depth == 0) return;
    {
        const Fd directory(
            ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (directory)
            for (const auto& child : names_in(directory.get()))
                remove_tree(directory.get(), child, depth - 1);
    }
    ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

/// Sets the umask of the process for the life of this object.
class Umask {
  public:
    explicit Umask(mode_t mask) : before_(::umask(mask)) {}
    ~Umask() { ::umask(before_); }
    Umask(const Umask&) = delete;
    Umask& operator=(const Umask&) = delete;

  private:
    mode_t before_;
};

}  // namespace

bool is_safe_place(const std::string& path) {
    constexpr mode_t others_write = 0022;
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return false;
    if (found.st_uid != ::geteuid() && found.st_uid != 0) return false;
    return (found.st_mode & others_write) == 0 || (found.st_mode & S_ISVTX) != 0;
}

std::optional<PrivateDirectory> PrivateDirectory::open(int parent, const std::string& name,
                                                       const std::string& path) {
    Fd fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd && errno == ENOENT) return std::nullopt;
    if (!fd && (errno == ELOOP || errno == ENOTDIR)) refuse(path, "it is a link or a file");
    if (!fd) refuse(path, std::strerror(errno));
    struct stat found {};
    if (::fstat(fd.get(), &found) != 0) refuse(path, std::strerror(errno));
    if (found.st_uid != ::geteuid())
        refuse(path, "it belongs to user " + std::to_string(found.st_uid));
    if ((found.st_mode & others) != 0) refuse(path, "other users have access to it");
    return PrivateDirectory(path, std::move(fd));
}

PrivateDirectory PrivateDirectory::make(int parent, const std::string& name,
                                        const std::string& path) {
    {
        const Umask ours_alone(others);
        if (::mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST)
            throw SystemError("cannot make the directory " + path + ": " + std::strerror(errno));
    }
    auto made = open(parent, name, path);
    if (!made) throw SystemError("the directory " + path + " was removed while it was made");
    return std::move(*made);
}

std::optional<PrivateDirectory> PrivateDirectory::find(const std::string& path) {
    return open(AT_FDCWD, path, path);
}

PrivateDirectory PrivateDirectory::make(const std::string& path) {
    return make(AT_FDCWD, path, path);
}

std::optional<PrivateDirectory> PrivateDirectory::find_child(const std::string& name) const {
    return open(fd_.get(), name, path_ + "/" + name);
}

PrivateDirectory PrivateDirectory::make_child(const std::string& name) const {
    return make(fd_.get(), name, path_ + "/" + name);
}

std::vector<std::string> PrivateDirectory::names() const {
    return names_in(fd_.get());
}

bool PrivateDirectory::is_removed() const {
    struct stat found {};
    return ::fstat(fd_.get(), &found) != 0 || found.st_nlink == 0;
}

void PrivateDirectory::set_mark() const {
    const Umask ours_alone(others);
    const Fd mark(
        ::openat(fd_.get(), mark_name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!mark)
        throw SystemError("cannot write into the directory " + path_ + ": " + std::strerror(errno));
}

bool PrivateDirectory::has_mark() const {
    struct stat found {};
    return ::fstatat(fd_.get(), mark_name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(found.st_mode) && found.st_uid == ::geteuid();
}

void PrivateDirectory::remove_child(const std::string& name) const {
    remove_tree(fd_.get(), name, deepest_removed);
}

void PrivateDirectory::clear() const {
    for (const auto& name : names())
        if (name != mark_name) remove_child(name);
}

}  // namespace ductile::os
