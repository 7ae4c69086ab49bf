#include "agent/runtime_directory.hpp"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <vector>

#include "agent/litter.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t socket_path_bytes = sizeof(sockaddr_un::sun_path);
constexpr std::size_t most_in_parent = sizeof("/ a marker of a job and its host /broker.sock");

// A directory that is ours alone, made if it is not there.
void make_private(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        throw SystemError("cannot make the directory " + path + ": " + std::strerror(errno));
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0)
        throw SystemError("cannot look at " + path + ": " + std::strerror(errno));
    if (!S_ISDIR(found.st_mode) || found.st_uid != ::geteuid() || (found.st_mode & 0077) != 0)
        throw SystemError("refused to use " + path +
                          ": it is not a directory that belongs to this user alone (mode 0700)");
}

// In a user namespace every user may be 0: the name has the user as those outside see it, so that
// users who share /tmp do not meet in one directory.
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

bool is_dead(const std::filesystem::path& directory, std::chrono::seconds age) {
    struct stat found {};
    if (::lstat(directory.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) ||
        found.st_uid != ::geteuid())
        return false;
    auto touched = found.st_mtime;
    // The broker's last word is in the journal or in its log.
    for (const char* suffix : {"", "-wal"}) {
        if (::lstat((journal_in(directory) + suffix).c_str(), &found) != 0) continue;
        touched = std::max(touched, found.st_mtime);
        age = std::max(age, journals_are_kept);
    }
    if (::time(nullptr) - touched < age.count()) return false;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
        if (answers(entry.path().string())) return false;
    return !error;
}

}  // namespace

std::string runtime_parent() {
    const auto name = "/ductile-" + std::to_string(outer_user());
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && runtime[0] == '/' && ::access(runtime, W_OK | X_OK) == 0) {
        auto path = runtime + name;
        if (path.size() + most_in_parent < socket_path_bytes) return path;
    }
    return "/tmp" + name;
}

std::string journal_in(const std::string& directory) {
    return directory + "/journal.sqlite";
}

RuntimeDirectory::RuntimeDirectory(const std::string& marker, Contents contents) {
    const auto parent = runtime_parent();
    make_private(parent);
    const auto path = parent + "/" + marker;
    make_private(path);
    if (answers(path + "/agent.sock"))
        throw SystemError("cannot start agent " + marker + ": one is running already (" + path +
                          ")");
    path_ = path;
    if (contents == Contents::kept) return;
    remove_recorded_litter(litter_path());
    std::error_code ignored;
    for (const auto& left : std::filesystem::directory_iterator(path, ignored))
        std::filesystem::remove_all(left.path(), ignored);
}

RuntimeDirectory::~RuntimeDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    std::filesystem::remove(std::filesystem::path(path_).parent_path(), ignored);  // if it is empty
}

void remove_dead_directories(std::chrono::seconds age, const std::string& beginning) {
    std::error_code ignored;
    std::vector<std::filesystem::path> dead;
    for (const auto& entry : std::filesystem::directory_iterator(runtime_parent(), ignored))
        if (entry.path().filename().string().starts_with(beginning) && is_dead(entry.path(), age))
            dead.push_back(entry.path());
    for (const auto& path : dead) {
        remove_recorded_litter(path / "litter");
        std::filesystem::remove_all(path, ignored);
    }
}

}  // namespace ductile::agent
