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
#include <random>
#include <thread>

#include "cluster/freezer.hpp"
#include "cluster/names.hpp"
#include "ductile/error.hpp"
#include "os/private_directory.hpp"

namespace ductile::cluster {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
constexpr std::string_view prefix = "cluster-";
constexpr std::string_view unfinished_prefix = "new-";
constexpr const char* lock_name = "lock";

std::string base_of_this_user() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    const bool usable = runtime != nullptr && os::is_safe_place(runtime);
    return base_directory(usable ? runtime : "", ::geteuid());
}

/// Takes the lock of a state directory if no process holds it. Returns a closed descriptor if a
/// process holds it (the cluster is alive) or there is no lock.
Descriptor try_lock(const os::PrivateDirectory& directory, int flags = 0) {
    Descriptor lock{
        ::openat(directory.fd(), lock_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600)};
    if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
    struct stat held {
    }, named{};
    if (::fstat(lock.get(), &held) != 0 ||
        ::fstatat(directory.fd(), lock_name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
        held.st_ino != named.st_ino)
        return {};
    return lock;
}

/// Whether this unfinished directory is more than a minute old. Then the `up` that made it must
/// have been killed.
bool is_abandoned(const os::PrivateDirectory& unfinished) {
    struct stat info {};
    return ::fstat(unfinished.fd(), &info) == 0 && std::time(nullptr) - info.st_mtime > 60;
}

/// Removes the directory, and the cgroups of its frozen hosts.
void remove_from(const os::PrivateDirectory& base, const os::PrivateDirectory& state) {
    remove_cgroups_of_freezes(read_file(cgroups_path(state.path())));
    base.remove_child(fs::path(state.path()).filename());
}

/// Removes the directories that Ductile made for clusters that are dead now.
void sweep(const std::string& path) {
    const auto base = os::PrivateDirectory::find(path);
    if (!base) return;
    for (const auto& name : base->names()) {
        if (!name.starts_with(prefix) && !name.starts_with(unfinished_prefix)) continue;
        try {
            const auto state = base->find_child(name);
            if (!state) continue;
            const bool finished = name.starts_with(prefix);
            if (!state->has_mark()) {
                // An `up` was killed just before it set the mark. rmdir() fails unless the
                // directory is empty.
                if (!finished && is_abandoned(*state)) ::rmdir(state->path().c_str());
                continue;
            }
            const Descriptor lock = finished ? try_lock(*state) : Descriptor{};
            if (lock || (!finished && is_abandoned(*state))) remove_from(*base, *state);
        } catch (const SystemError&) {  // not made by Ductile
        }
    }
    ::rmdir(path.c_str());  // fails while other clusters are in it
}

/// Makes a directory under a temporary name, with a lock that this process holds. The caller then
/// renames it to its final name in one step.
StateDir make_unfinished(const os::PrivateDirectory& base) {
    std::random_device random;
    const auto made =
        base.make_child(fmt::format("{}{:08x}{:08x}", unfinished_prefix, random(), random()));
    made.set_mark();
    StateDir state{made.path(), try_lock(made, O_CREAT)};
    if (!state.lock) throw SystemError("cannot lock " + made.path());
    return state;
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
    return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0;
}

StateDir make_state_dir(const std::string& name) {
    const std::string base = base_of_this_user();
    const std::string path = fmt::format("{}/{}{}", base, prefix, name);
    if (socket_path(path).size() > 107)
        throw SystemError(fmt::format("cannot make a socket in {} (its path is too long)", path));
    // A cluster of this name whose owner was killed takes a moment to end.
    for (const auto until = std::chrono::steady_clock::now() + 1s;;) {
        sweep(base);
        // The sweep removes an empty base, so make it again.
        StateDir made = make_unfinished(os::PrivateDirectory::make(base));
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
        const std::string parent = fs::path(state_dir).parent_path();
        const auto base = os::PrivateDirectory::find(parent);
        if (!base) return;
        if (const auto state = base->find_child(fs::path(state_dir).filename()))
            remove_from(*base, *state);
        ::rmdir(parent.c_str());  // fails while other clusters are in it
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
