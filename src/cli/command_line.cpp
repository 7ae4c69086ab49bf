#include "cli/command_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

#include "agent/bootstrap.hpp"
#include "agent/runtime_directory.hpp"
#include "ductile/error.hpp"
#include "wire/local_socket.hpp"
#include "wire/printable.hpp"

namespace ductile::cli {

namespace {

// The socket in a job's directory, which only this user can enter. nullopt if the directory is not
// that of a job.
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

constexpr std::size_t digits = 8;
constexpr std::size_t fewest_digits = 4;  ///< of the begin of an id

std::string listed(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

void expect_job_name(const std::string& job) {
    if (!agent::is_job_name(job))
        throw InputError("'" + wire::printable(job.substr(0, 64)) +
                         "' is no name of a job: a name has 1 to 48 letters, digits, '-' or '_'");
}

/// Whether this is the name in the id.
bool is_name_in(const std::string& id, const std::string& job) {
    return id.size() == job.size() + 1 + digits && id.starts_with(job + "-") &&
           id.find_first_not_of("0123456789abcdef", job.size() + 1) == std::string::npos;
}

/// The ids that `job` stands for: this id; otherwise those with this name; otherwise those that
/// begin so, with four of the digits at least.
std::vector<std::string> meant_by(const std::string& job, const std::vector<std::string>& ids) {
    if (std::ranges::count(ids, job) > 0) return {job};
    std::vector<std::string> named, begun;
    for (const auto& id : ids) {
        if (!agent::is_job_name(id)) continue;  // an agent's directory
        if (is_name_in(id, job)) named.push_back(id);
        if (id.starts_with(job) && job.size() + digits >= id.size() + fewest_digits)
            begun.push_back(id);
    }
    return named.empty() ? begun : named;
}

[[noreturn]] void refuse_several(const std::string& job, const std::vector<std::string>& meant) {
    throw InputError((job.empty() ? std::string("several jobs of yours are running")
                                  : "'" + job + "' means several jobs") +
                     ", say which: " + listed(meant) + " (`ductile status` shows them)");
}

[[noreturn]] void refuse_without_broker(const std::string& id) {
    throw InputError("job " + id +
                     " has no broker. Its ranks may still run; to take the job over: ductile run "
                     "--resume " +
                     id);
}

bool answers(const JobSocket& job) {
    try {
        wire::LocalSocket::connect(job.path, std::chrono::seconds(1));
        return true;
    } catch (const TimeoutError&) {
        return true;  // it accepts no connection at the moment
    } catch (const Error&) {
        return false;  // a killed broker left it
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

std::string make_job_id(const std::string& name) {
    std::random_device random;
    std::uniform_int_distribution<std::uint32_t> any;
    auto id = fmt::format("{:08x}", any(random));
    if (name.empty()) return id;
    id.insert(0, name + "-");
    if (!agent::is_job_name(id))
        throw InputError("'" + wire::printable(name.substr(0, 64)) +
                         "' is no name for a job: a name has 1 to 39 letters, digits, '-' or '_'");
    return id;
}

std::string id_of_job(const std::string& job) {
    expect_job_name(job);
    const auto parent = agent::find_runtime_parent();
    if (!parent) return job;
    const auto meant = meant_by(job, parent->names());
    if (meant.size() > 1) refuse_several(job, meant);
    return meant.empty() ? job : meant.front();
}

JobSocket find_job(const std::string& job) {
    if (!job.empty()) expect_job_name(job);
    // If the user gives the full id, ask this job directly. Its broker may be too busy to answer
    // find_jobs() in time.
    if (const auto parent = agent::find_runtime_parent(); parent && !job.empty())
        if (const auto named = socket_in(*parent, job)) return *named;
    const auto [running, without_broker] = find_jobs();
    std::vector<std::string> names;
    for (const auto& one : running) names.push_back(one.job);
    auto all = names;
    all.insert(all.end(), without_broker.begin(), without_broker.end());
    // Without a name, a job that has no broker counts if no other runs.
    const auto meant = !job.empty() ? meant_by(job, all) : running.empty() ? without_broker : names;
    if (meant.size() > 1 && !(job.empty() && running.empty())) refuse_several(job, meant);
    if (!meant.empty()) {
        const auto found = std::ranges::find(running, meant.front(), &JobSocket::job);
        if (found == running.end()) refuse_without_broker(meant.front());
        return *found;
    }
    if (running.empty())
        throw InputError((job.empty() ? std::string() : "there is no job '" + job + "': ") +
                         "no job of yours is running on this machine (looked in " +
                         agent::runtime_parent() + ")");
    throw InputError("there is no job '" + job + "'; running: " + listed(names));
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
