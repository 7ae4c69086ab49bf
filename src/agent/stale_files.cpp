#include "agent/stale_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "os/proc.hpp"

namespace ductile::agent {

namespace {

namespace fs = std::filesystem;

// The shared memory of the ranks of a host.
constexpr std::array<std::string_view, 2> beginnings = {"/dev/shm/mpich_shm_",
                                                        "/dev/shm/Intel_MPI_"};

void remove_file(const std::string& path) {
    struct stat found {};
    if (is_stale_file(path) && ::lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
        found.st_uid == ::geteuid())
        ::unlink(path.c_str());
}

}  // namespace

bool is_stale_file(std::string_view path) {
    for (const auto beginning : beginnings)
        if (path.starts_with(beginning) && path.size() > beginning.size())
            return path.find_first_of("/ \n", beginning.size()) == path.npos;
    return false;
}

void StaleFiles::note_all(const std::vector<pid_t>& pids) {
    for (const pid_t pid : pids) {
        note(pid);
        note_open(pid);
    }
}

void StaleFiles::note(pid_t pid) {
    std::istringstream maps(os::read_proc(pid, "maps"));
    for (std::string line; std::getline(maps, line);)
        if (const auto path = line.find('/'); path != line.npos) add(line.substr(path));
}

void StaleFiles::note_open(pid_t pid) {
    std::error_code ignored;
    fs::directory_iterator open_file("/proc/" + std::to_string(pid) + "/fd", ignored);
    for (; open_file != fs::directory_iterator(); open_file.increment(ignored))
        add(fs::read_symlink(open_file->path(), ignored).string());
}

void StaleFiles::add(const std::string& path) {
    if (is_stale_file(path) && found_.insert(path).second)
        std::ofstream(record_, std::ios::app) << path << '\n';
}

void StaleFiles::remove() {
    for (const auto& path : found_) remove_file(path);
    found_.clear();
}

void remove_recorded_stale_files(const std::string& record) {
    std::ifstream lines(record);
    for (std::string line; std::getline(lines, line);) remove_file(line);
}

}  // namespace ductile::agent
