// Functions that subcommands share: the words after `--`, and how to find running jobs.
#pragma once

#include <string>
#include <vector>

#include "wire/request_messages.hpp"

namespace ductile::cli {

/// Exit codes of the commands that ask a broker (docs/commands/README.md).
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int failed = 1;       ///< the job ended, or something went wrong
inline constexpr int usage = 2;        ///< a bad argument, or no such job
inline constexpr int refused = 3;      ///< refused, and nothing has changed
inline constexpr int rolled_back = 4;  ///< begun and undone; the job is unchanged
}  // namespace exit_code

/// A running job of this user, with the path of its socket.
struct JobSocket {
    std::string job;
    std::string path;
};

/// This user's jobs, by their directories (agent::runtime_parent()).
struct Jobs {
    std::vector<JobSocket> running;
    /// Jobs whose broker does not answer. The broker has died, and the ranks may still run.
    std::vector<std::string> without_broker;
};
Jobs find_jobs();
/// The running job with this id, or this name, or with an id that begins so (with four of its
/// digits at least); the only running job when `job` is empty. Throws
/// InputError if no running job fits, or more than one. If `job` is a full id, returns this job
/// even if its broker does not answer.
JobSocket find_job(const std::string& job);

/// A random id for a new job: eight hexadecimal digits. If the job has a name (`--name`), the name
/// and a hyphen come first. Throws InputError for a text that cannot be a name.
std::string make_job_id(const std::string& name);
/// The id of the job of this user that find_job() would find, even if its broker has died. If no
/// job fits, returns `job` unchanged. Throws InputError if several jobs fit, or if `job` cannot be
/// an id or a name.
std::string id_of_job(const std::string& job);

/// The arguments before `--`, and the words after it.
struct Split {
    std::vector<std::string> before;
    std::vector<std::string> after;
};
Split split_at_dashes(int argc, char** argv);

/// The names of an enumeration's values, from its to_string().
template <class Values>
std::vector<std::string> names_of(const Values& values) {
    std::vector<std::string> names;
    for (const auto value : values) names.emplace_back(to_string(value));
    return names;
}

/// The same names and "auto", for a choice that the user may leave to Ductile.
template <class Values>
std::vector<std::string> names_and_auto(const Values& values) {
    auto names = names_of(values);
    names.emplace_back("auto");
    return names;
}

}  // namespace ductile::cli
