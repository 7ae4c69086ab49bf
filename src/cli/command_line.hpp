// What subcommands share: the words after `--`, and where running jobs are found.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "wire/request_messages.hpp"

namespace ductile::cli {

/// Exit codes of the commands that ask a broker (docs/commands/README.md).
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int failed = 1;       ///< the job ended, or something went wrong
inline constexpr int usage = 2;        ///< a bad argument
inline constexpr int refused = 3;      ///< refused, nothing has changed
inline constexpr int rolled_back = 4;  ///< begun and undone, the job is unchanged
}  // namespace exit_code

/// A running job of this user, as its socket is found.
struct JobSocket {
    std::string job;
    std::string path;
};

/// This user's jobs, by their directories (agent::runtime_parent()).
struct Jobs {
    std::vector<JobSocket> running;
    /// Whose broker does not answer: it has died, and the ranks may run on.
    std::vector<std::string> without_broker;
};
Jobs find_jobs();
/// The job of this id or name, or the only one when `job` is empty. Throws InputError that lists
/// what there is.
JobSocket find_job(const std::string& job);

/// A new job's id, never used before: eight hexadecimal digits, after the name (`--name`) and a
/// hyphen where it has one. Throws InputError for what is no name.
std::string make_job_id(const std::string& name);
/// The id of a job of this user whose broker may have died. Throws InputError when several are
/// meant; what is no job's is given back as it is.
std::string id_of_job(const std::string& job);

/// The arguments before `--`, and the words after it.
struct Split {
    std::vector<std::string> before;
    std::vector<std::string> after;
};
Split split_at_dashes(int argc, char** argv);

/// The names of an enumeration's values, by its to_string().
template <class Values>
std::vector<std::string> names_of(const Values& values) {
    std::vector<std::string> names;
    for (const auto value : values) names.emplace_back(to_string(value));
    return names;
}

/// And "auto", for what may be left to Ductile.
template <class Values>
std::vector<std::string> names_and_auto(const Values& values) {
    auto names = names_of(values);
    names.emplace_back("auto");
    return names;
}

}  // namespace ductile::cli
