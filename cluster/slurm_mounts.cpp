#include "cluster/slurm_mounts.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/namespaces.hpp"
#include "cluster/slurm_config.hpp"
#include "cluster/system_call.hpp"

namespace ductile::cluster {
namespace {

/// Shows the content of `folder`/`name` in /`name`, on top of the content of /`name`.
void lay_over(const std::string& folder, const std::string& name) {
    // `folder` is the current directory and not in `layers`, because ':' and ',' in its path would
    // split the options of the mount.
    check(::chdir(folder.c_str()), ("go to " + folder).c_str());
    const std::string target = "/" + name;
    const std::string layers = fmt::format("lowerdir={0}:/{0}", name);
    const auto attempt = fmt::format("lay {}/{} over {} by overlayfs", folder, name, target);
    check(::mount("overlay", target.c_str(), "overlay", MS_RDONLY, layers.c_str()),
          attempt.c_str());
    check(::chdir("/"), "go to /");
}

void make_layer_directory(const std::string& path) {
    check(::mkdir(path.c_str(), 0755), ("make the directory " + path).c_str());
}

}  // namespace

void mount_slurm(const SlurmSpec& slurm, const std::string& state_dir) {
    const std::string home{slurm_home};
    make_layer_directory(state_dir + "/etc");
    make_layer_directory(state_dir + home);  // the mount point, if the machine has none
    lay_over(state_dir, "etc");
    check(::mount("slurm", home.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"),
          "mount a memory file system for Slurm's files");
    if (!slurm.packages.empty()) lay_over(slurm.packages, "usr");
}

void hide_cgroups() {
    check(::unshare(CLONE_NEWNS), "make a mount namespace for slurmd");
    keep_mounts_private();
    check(::mount("none", "/sys/fs/cgroup", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755"),
          "cover /sys/fs/cgroup");
}

}  // namespace ductile::cluster
