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

Jobs find_jobs() {
    Jobs jobs;
    const auto parent = agent::find_runtime_parent();
    if (!parent) return jobs;
    for (const auto& name : parent->names()) {
        const auto job = socket_in(*parent, name);
        if (job && answers(*job))
            jobs.running.push_back(*job);
        else if (job && agent::is_job_name(name))
            jobs.without_broker.push_back(name);
    }
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
    const auto [running, without_broker] = find_jobs();
    std::string names;
    for (const auto& one : running) {
        if (one.job == job || (job.empty() && running.size() == 1)) return one;
        names += (names.empty() ? "" : ", ") + one.job;
    }
    if (running.empty() && !without_broker.empty() && job.empty())
        throw InputError(
            "no job of yours has a broker on this machine. The ranks of " + without_broker.front() +
            " may run on without it; take it over: ductile run --resume " + without_broker.front());
    if (running.empty())
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
