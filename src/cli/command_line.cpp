#include "cli/command_line.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/bootstrap.hpp"
#include "agent/runtime_directory.hpp"
#include "ductile/error.hpp"
#include "wire/local_socket.hpp"
#include "wire/printable.hpp"

namespace ductile::cli {

namespace {

// The socket in a job's directory, which is this user's alone; nothing when it is no job's.
std::optional<JobSocket> socket_in(const os::PrivateDirectory& parent, const std::string& job) {
    try {
        const auto directory = parent.find_child(job);
        if (!directory) return std::nullopt;
        struct stat found {};
        if (::fstatat(directory->fd(), "broker.sock", &found, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISSOCK(found.st_mode))
            return std::nullopt;
        return JobSocket{job, directory->path() + "/broker.sock"};
    } catch (const SystemError&) {  // made by another program
        return std::nullopt;
    }
}

bool answers(const JobSocket& job) {
    try {
        wire::LocalSocket::connect(job.path, std::chrono::seconds(1));
        return true;
    } catch (const Error&) {
        return false;  // left by a broker that was killed
    }
}

}  // namespace

std::vector<JobSocket> running_jobs() {
    std::vector<JobSocket> jobs;
    const auto parent = agent::find_runtime_parent();
    if (!parent) return jobs;
    for (const auto& name : parent->names())
        if (const auto job = socket_in(*parent, name); job && answers(*job)) jobs.push_back(*job);
    return jobs;
}

JobSocket find_job(const std::string& job) {
    if (!job.empty() && !agent::is_job_name(job))
        throw InputError("'" + wire::printable(job.substr(0, 64)) +
                         "' is no name of a job: a name has 1 to 48 letters, digits, '-' or '_'");
    // A job that is named is asked itself; its broker may be too busy to answer a look around in
    // time.
    if (const auto parent = agent::find_runtime_parent(); parent && !job.empty())
        if (const auto named = socket_in(*parent, job)) return *named;
    const auto jobs = running_jobs();
    std::string names;
    for (const auto& one : jobs) {
        if (one.job == job || (job.empty() && jobs.size() == 1)) return one;
        names += (names.empty() ? "" : ", ") + one.job;
    }
    if (jobs.empty())
        throw InputError((job.empty() ? std::string() : "there is no job '" + job + "': ") +
                         "no job of yours is running on this machine (looked in " +
                         agent::runtime_parent() + ")");
    if (job.empty()) throw InputError("several jobs are running, say which: " + names);
    throw InputError("there is no job '" + job + "'; running: " + names);
}

Split split_at_dashes(int argc, char** argv) {
    Split split;
    const std::vector<std::string> all(argv + 1, argv + argc);
    const auto dashes = std::find(all.begin(), all.end(), "--");
    split.before.assign(all.begin(), dashes);
    if (dashes != all.end()) split.after.assign(dashes + 1, all.end());
    return split;
}

}  // namespace ductile::cli
