#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "cluster/freezer.hpp"
#include "cluster/processes.hpp"
#include "cluster/system_call.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

using namespace std::chrono_literals;

/// The mount point of the cgroup2 file system, from mountinfo: field 5 of the line whose type is
/// cgroup2. Empty if there is none.
std::string cgroup2_mount() {
    std::istringstream lines(read_file("/proc/self/mountinfo"));
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" - cgroup2 ") == std::string::npos) continue;
        std::istringstream fields(line);
        std::string field;
        for (int number = 1; number <= 5; ++number) fields >> field;
        return field;
    }
    return {};
}

/// The directory of this process's own cgroup. The hosts' processes are in it, too, unless they
/// moved themselves.
std::string own_cgroup() {
    const auto mount = cgroup2_mount();
    if (mount.empty())
        throw SystemError("cannot freeze by cgroup (no cgroup2 file system is mounted)");
    std::istringstream lines(read_file("/proc/self/cgroup"));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("0::")) return mount + (line == "0::/" ? "" : line.substr(3));
    throw SystemError("cannot freeze by cgroup (this process is in no cgroup of version 2)");
}

/// Moves all processes of the namespace into the group. True: all of them were there already.
bool move_all(ino_t pid_namespace, const std::string& group) {
    const std::string inside = "\n" + read_file(group + "/cgroup.procs");
    bool complete = true;
    for (const pid_t pid : pids_in_namespace(pid_namespace)) {
        if (inside.find(fmt::format("\n{}\n", pid)) != std::string::npos) continue;
        const auto process = os::read_process(pid);
        if (process && process->state == 'Z') continue;
        complete = false;
        if (!write_file(group + "/cgroup.procs", fmt::format("{}", pid)) && errno != ESRCH)
            throw_errno("move processes into " + group);
    }
    return complete;
}

void move_all(ino_t pid_namespace, const std::string& group, const Deadline& deadline) {
    while (!move_all(pid_namespace, group))
        if (deadline.has_passed())
            throw TimeoutError(
                "cannot freeze by cgroup (processes start faster than they are moved)");
}

constexpr std::string_view name_begins = "ductile-";

bool is_of_a_freeze(const std::string& group) {
    const auto mount = cgroup2_mount();
    const auto slash = group.rfind('/');
    return !mount.empty() && slash != std::string::npos && group.starts_with(mount + "/") &&
           group.substr(slash + 1).starts_with(name_begins) &&
           group.find("/../") == std::string::npos && group.find("/./") == std::string::npos;
}

class FrozenByCgroup final : public FrozenHost {
  public:
    FrozenByCgroup(ino_t pid_namespace, std::string parent, const std::string& label)
        : pid_namespace_(pid_namespace),
          parent_(std::move(parent)),
          group_(fmt::format("{}/{}{}", parent_, name_begins, label)) {
        if (::mkdir(group_.c_str(), 0755) != 0) throw_errno("make the cgroup " + group_);
    }
    FrozenByCgroup(const FrozenByCgroup&) = delete;
    FrozenByCgroup& operator=(const FrozenByCgroup&) = delete;
    ~FrozenByCgroup() override { remove(); }
    [[nodiscard]] const std::string& group() const { return group_; }
    [[nodiscard]] std::string_view method() const override { return "cgroup"; }

    void freeze() {
        const Deadline deadline{5s};
        try {
            move_all(pid_namespace_, group_, deadline);
            switch_to("1", "\nfrozen 1\n", deadline);
        } catch (...) {
            write_file(group_ + "/cgroup.freeze", "0");
            move_back();
            throw;
        }
    }

    void thaw() override {
        switch_to("0", "\nfrozen 0\n", Deadline{5s});
        move_back();
        remove();
    }

  private:
    void switch_to(const char* value, const char* event, const Deadline& deadline) {
        if (!write_file(group_ + "/cgroup.freeze", value)) throw_errno("freeze " + group_);
        while (("\n" + read_file(group_ + "/cgroup.events")).find(event) == std::string::npos) {
            if (deadline.has_passed())
                throw TimeoutError(std::string(*value == '1' ? "cannot freeze " : "cannot thaw ") +
                                   group_ + " in time");
            std::this_thread::sleep_for(1ms);
        }
    }

    void move_back() noexcept {
        try {
            move_all(pid_namespace_, parent_, Deadline{5s});
        } catch (const std::exception&) {
            return;  // the processes continue in the cgroup of the freeze
        }
    }

    void remove() noexcept {
        for (int attempt = 0; ::rmdir(group_.c_str()) != 0 && errno == EBUSY && attempt < 100;
             ++attempt)
            std::this_thread::sleep_for(1ms);
    }

    ino_t pid_namespace_;
    std::string parent_;
    std::string group_;
};

}  // namespace

std::unique_ptr<FrozenHost> freeze_by_cgroup(ino_t pid_namespace, const std::string& label,
                                             const std::string& list) {
    auto host = std::make_unique<FrozenByCgroup>(pid_namespace, own_cgroup(), label);
    std::ofstream(list, std::ios::app) << host->group() << '\n';
    host->freeze();
    return host;
}

void remove_cgroups_of_freezes(const std::string& list) {
    std::istringstream lines(list);
    for (std::string group; std::getline(lines, group);)
        if (is_of_a_freeze(group)) ::rmdir(group.c_str());
}

}  // namespace ductile::cluster
