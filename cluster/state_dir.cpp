#include "cluster/state_dir.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <thread>

#include "cluster/names.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
constexpr std::string_view prefix = "cluster-";
constexpr std::string_view unfinished_prefix = "new-";

std::string base_of_this_user() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    return base_directory(runtime ? runtime : "", ::geteuid());
}

/// Makes a 0700 directory or accepts one that is; anything else there belongs to somebody else.
void make_private_directory(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) throw_errno("make " + path);
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) throw_errno("look at " + path);
    if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 0077) != 0)
        throw SystemError(fmt::format(
            "cannot use {} (it is not a directory of this user's alone); remove it, or set "
            "XDG_RUNTIME_DIR to a directory of your own",
            path));
}

/// The lock of a state directory when nobody holds it; a closed descriptor when its cluster lives
/// or there is none.
Descriptor try_lock(const std::string& state_dir, int flags = 0) {
    const std::string path = state_dir + "/lock";
    Descriptor lock{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600)};
    if (!lock.is_open() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
    struct stat held {
    }, named{};
    if (::fstat(lock.get(), &held) != 0 || ::stat(path.c_str(), &named) != 0 ||
        held.st_ino != named.st_ino)
        return {};
    return lock;
}

/// Whether a directory under construction was left a minute ago or earlier, by an `up` that was
/// killed.
bool is_abandoned(const fs::path& unfinished) {
    struct stat info {};
    return ::stat(unfinished.c_str(), &info) == 0 && std::time(nullptr) - info.st_mtime > 60;
}

void sweep(const std::string& base) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(base, ignored)) {
        const std::string name = entry.path().filename();
        const Descriptor lock = name.starts_with(prefix) ? try_lock(entry.path()) : Descriptor{};
        if (lock.is_open() || (name.starts_with(unfinished_prefix) && is_abandoned(entry.path())))
            remove_state_dir(entry.path());
    }
}

/// A directory with a lock that is ours, under a name of its own; moved to its place in one step.
StateDir make_unfinished(const std::string& base) {
    std::string path = fmt::format("{}/{}XXXXXX", base, unfinished_prefix);
    if (::mkdtemp(path.data()) == nullptr) throw_errno("make a directory in " + base);
    StateDir made{path, try_lock(path, O_CREAT)};
    if (!made.lock.is_open()) throw SystemError("cannot lock " + path);
    return made;
}

}  // namespace

std::string base_directory(std::string_view xdg_runtime_dir, unsigned uid) {
    if (xdg_runtime_dir.starts_with('/')) return fmt::format("{}/ductile-cluster", xdg_runtime_dir);
    return fmt::format("/tmp/ductile-cluster-{}", uid);
}

void remove_dead_clusters() {
    sweep(base_of_this_user());
}

std::string find_state_dir(const std::string& name) {
    std::string around = state_dir_of(read_file("/etc/hosts"));
    if (!around.empty() && name.empty()) return around;
    if (!around.empty()) return fs::path(around).parent_path() / fmt::format("{}{}", prefix, name);
    const std::string base = base_of_this_user();
    sweep(base);
    return fmt::format("{}/{}{}", base, prefix, name.empty() ? "default" : name);
}

bool is_alive(const std::string& state_dir) {
    const Descriptor lock{::open((state_dir + "/lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
    return lock.is_open() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0;
}

StateDir make_state_dir(const std::string& name) {
    const std::string base = base_of_this_user();
    const std::string path = fmt::format("{}/{}{}", base, prefix, name);
    if (socket_path(path).size() > 107)
        throw SystemError(fmt::format("cannot make a socket in {} (its path is too long)", path));
    make_private_directory(base);
    // A cluster whose owner was killed takes a moment to end.
    for (const auto until = std::chrono::steady_clock::now() + 1s;;) {
        sweep(base);
        make_private_directory(base);  // the sweep removes an empty one
        StateDir made = make_unfinished(base);
        if (::rename(made.path.c_str(), path.c_str()) == 0) return {path, std::move(made.lock)};
        remove_state_dir(made.path);
        if (std::chrono::steady_clock::now() > until) break;
        std::this_thread::sleep_for(50ms);
    }
    throw UsageError(fmt::format(
        "cluster \"{0}\" is up already; take it down by `ductile cluster down --name {0}`, or "
        "choose another --name",
        name));
}

void remove_state_dir(const std::string& state_dir) noexcept {
    try {
        std::istringstream cgroups(read_file(cgroups_path(state_dir)));
        for (std::string group; std::getline(cgroups, group);) ::rmdir(group.c_str());
        std::error_code ignored;
        fs::remove_all(state_dir, ignored);
        ::rmdir(
            fs::path(state_dir).parent_path().c_str());  // refused while other clusters are in it
    } catch (const std::exception&) {
        return;  // the next command tries again
    }
}

std::string socket_path(const std::string& state_dir) {
    return state_dir + "/socket";
}
std::string slots_path(const std::string& state_dir) {
    return state_dir + "/hosts";
}
std::string etc_hosts_path(const std::string& state_dir) {
    return state_dir + "/etc_hosts";
}
std::string cgroups_path(const std::string& state_dir) {
    return state_dir + "/cgroups";
}

}  // namespace ductile::cluster
