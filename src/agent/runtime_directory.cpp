#include "agent/runtime_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "agent/stale_files.hpp"
#include "ductile/error.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t socket_path_bytes = sizeof(sockaddr_un::sun_path);
constexpr std::size_t most_in_parent = sizeof("/ a marker of a job and its host /broker.sock");

// In a user namespace every user may be 0. So the name contains the user id outside the namespace.
// Then users who share /tmp do not use the same directory.
unsigned long outer_user() {
    const unsigned long user = ::geteuid();
    std::ifstream map("/proc/self/uid_map");
    for (unsigned long inside = 0, outside = 0, count = 0; map >> inside >> outside >> count;)
        if (user >= inside && user - inside < count) return outside + (user - inside);
    return user;
}

bool answers(const std::string& socket) {
    try {
        wire::LocalSocket::connect(socket, std::chrono::milliseconds(200));
        return true;
    } catch (const TimeoutError&) {
        return true;
    } catch (const Error&) {
        return false;
    }
}

constexpr std::chrono::seconds journals_are_kept = std::chrono::hours(7 * 24);

bool is_dead(const os::PrivateDirectory& directory, std::chrono::seconds age) {
    struct stat found {};
    if (!directory.has_mark() || ::fstat(directory.fd(), &found) != 0) return false;
    auto touched = found.st_mtime;
    // The broker's last write was to the journal or to the journal's log.
    for (const auto* name : {"journal.sqlite", "journal.sqlite-wal"}) {
        if (::fstatat(directory.fd(), name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
        touched = std::max(touched, found.st_mtime);
        age = std::max(age, journals_are_kept);
    }
    if (::time(nullptr) - touched < age.count()) return false;
    return std::ranges::none_of(directory.names(), [&](const std::string& name) {
        return answers(directory.path() + "/" + name);
    });
}

// Another process may remove the empty parent while a directory is made in it.
os::PrivateDirectory make_parent_of(const std::string& marker) {
    for (int tries = 0;; ++tries) {
        auto parent = os::PrivateDirectory::make(runtime_parent());
        try {
            static_cast<void>(parent.make_child(marker));
            return parent;
        } catch (const SystemError&) {
            if (tries == 10 || !parent.is_removed()) throw;
        }
    }
}

}  // namespace

std::string runtime_parent() {
    const auto name = "/ductile-" + std::to_string(outer_user());
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && runtime[0] == '/' && ::access(runtime, W_OK | X_OK) == 0 &&
        os::is_safe_place(runtime)) {
        auto path = runtime + name;
        if (path.size() + most_in_parent < socket_path_bytes) return path;
    }
    return "/tmp" + name;
}

std::optional<os::PrivateDirectory> find_runtime_parent() {
    return os::PrivateDirectory::find(runtime_parent());
}

std::string journal_in(const std::string& directory) {
    return directory + "/journal.sqlite";
}

RuntimeDirectory::RuntimeDirectory(const std::string& marker, Contents contents)
    : RuntimeDirectory(marker, contents, make_parent_of(marker)) {}

RuntimeDirectory::RuntimeDirectory(const std::string& marker, Contents contents,
                                   os::PrivateDirectory parent)
    : marker_(marker), parent_(std::move(parent)), directory_(parent_.make_child(marker)) {
    if (!directory_.has_mark() && !directory_.is_empty())
        throw SystemError("refused to use " + path() +
                          ": it was not made by Ductile; move it elsewhere");
    if (answers(path() + "/agent.sock"))
        throw SystemError("cannot start agent " + marker + ": one is running already (" + path() +
                          ")");
    directory_.set_mark();
    if (contents == Contents::kept) return;
    remove_recorded_stale_files(stale_files_path());
    directory_.clear();
}

RuntimeDirectory::~RuntimeDirectory() {
    if (at_end_ == AtEnd::kept) return;
    parent_.remove_child(marker_);
    ::rmdir(parent_.path().c_str());  // if it is empty
}

void remove_dead_directories(std::chrono::seconds age, const std::string& beginning) {
    const auto parent = find_runtime_parent();
    if (!parent) return;
    for (const auto& name : parent->names()) {
        if (!name.starts_with(beginning)) continue;
        try {
            const auto directory = parent->find_child(name);
            if (!directory || !is_dead(*directory, age)) continue;
            remove_recorded_stale_files(directory->path() + "/stale_files");
            parent->remove_child(name);
        } catch (const SystemError&) {  // not a directory of Ductile
        }
    }
}

}  // namespace ductile::agent
