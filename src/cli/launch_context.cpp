#include "cli/launch_context.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "ductile/error.hpp"
#include "rms/command_environment.hpp"
#include "rms/network.hpp"
#include "rms/self.hpp"

namespace ductile::cli {

namespace {

std::vector<std::string> current_limits() {
    std::vector<std::string> limits;
    const auto number = [](rlim_t value) {
        return value == RLIM_INFINITY ? "-1" : std::to_string(value);
    };
    for (const int resource : {RLIMIT_AS, RLIMIT_CORE, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE,
                               RLIMIT_MEMLOCK, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_STACK}) {
        rlimit limit{};
        if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0)
            limits.push_back(std::to_string(resource) + " " + number(limit.rlim_cur) + " " +
                             number(limit.rlim_max));
    }
    return limits;
}

mode_t current_umask() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return mask;
}

// Fills the placeholders of a word of mpi::LauncherWords::always.
std::string filled(std::string word, const std::string& mpiexec) {
    const auto fill = [&word](std::string_view what, const std::string& by) {
        if (const auto at = word.find(what); at != word.npos) word.replace(at, what.size(), by);
    };
    fill("{remote}", rms::companion("remote-launch"));
    fill("{folder}", std::filesystem::path(mpiexec).parent_path().string());
    return word;
}

bool is_executable_file(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

broker::LaunchSpec capture_context(const mpi::Capabilities& mpi, const std::string& mpiexec,
                                   const std::vector<std::string>& extra,
                                   SharedCores shared_cores) {
    // A launcher takes each variable of Slurm as an order to start its processes by Slurm.
    auto environment = mpi.agents_start_ranks
                           ? rms::without_misleading_variables(rms::current_environment())
                           : rms::without_launcher_variables(rms::current_environment());
    std::erase_if(environment,
                  [](const auto& entry) { return entry.first.starts_with("DUCTILE_"); });
    for (const auto& [name, value] :
         mpi.environment_on(rms::has_fast_network(), shared_cores == SharedCores::yes))
        environment.try_emplace(name, value);
    for (const auto& entry : extra) {
        const auto equals = entry.find('=');
        const std::string name = entry.substr(0, equals);
        if (name.empty()) throw InputError("--env '" + entry + "' names no variable");
        if (equals != std::string::npos) {
            environment[name] = entry.substr(equals + 1);
        } else if (const char* value = std::getenv(name.c_str())) {
            environment[name] = value;
        } else {
            throw InputError("--env " + name + ": there is no such variable in the environment");
        }
    }
    broker::LaunchSpec context;
    for (const auto& [name, value] : environment) context.environment.push_back(name + "=" + value);
    if (shared_cores == SharedCores::by_host)
        for (const auto& [name, value] : mpi.shared_cores_environment)
            if (!environment.contains(name))
                context.shared_cores_environment.push_back(name + "=" + value);
    std::error_code error;
    context.directory = std::filesystem::current_path(error);
    if (error) throw SystemError("cannot tell the working directory: " + error.message());
    context.umask = static_cast<int>(current_umask());
    context.resource_limits = current_limits();
    context.launcher = {mpiexec};
    for (const auto& word : mpi.launcher.always) context.launcher.push_back(filled(word, mpiexec));
    context.launcher_here = mpi.launcher.one_host;
    context.launcher_further = mpi.launcher.several_hosts;
    context.folder_variables = mpi.folder_variables;
    context.serves_pmi = mpi.agents_start_ranks;
    context.keeps_daemons = mpi.keeps_daemons;
    context.spawn_blocks_threads = mpi.spawn_blocks_threads;
    return context;
}

std::string find_program(const std::string& name) {
    std::error_code ignored;
    if (name.empty()) throw InputError("cannot run the program: its name is empty");
    if (name.find('/') != std::string::npos) {
        if (!is_executable_file(name))
            throw InputError("cannot run " + name + ": " +
                             (std::filesystem::exists(name, ignored)
                                  ? "it is not an executable file"
                                  : "there is no such file"));
        return std::filesystem::absolute(name);
    }
    const char* path = std::getenv("PATH");
    std::istringstream directories(path != nullptr ? path : "/usr/bin:/bin");
    // As in a shell, an empty entry of PATH is the working directory. The result must be an
    // absolute path, because other hosts use it, too.
    for (std::string directory; std::getline(directories, directory, ':');) {
        const auto file = std::filesystem::path(directory.empty() ? "." : directory) / name;
        if (is_executable_file(file)) return std::filesystem::absolute(file).lexically_normal();
    }
    throw InputError("cannot run " + name + ": it is not in PATH (a file in this directory is ./" +
                     name + ")");
}

}  // namespace ductile::cli
