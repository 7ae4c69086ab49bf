#include "cluster/slurm_files.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/slurm_config.hpp"
#include "cluster/system_call.hpp"

namespace ductile::cluster {
namespace {

void make_slurm_directory(const std::string& name, mode_t mode) {
    const std::string path = slurm_file(name);
    check(::mkdir(path.c_str(), mode), ("make the directory " + path).c_str());
}

void write_new_file(const std::string& path, mode_t mode, std::string_view text) {
    const std::string attempt = "write " + path;
    const Descriptor file{check(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode),
                                attempt.c_str())};
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw_errno(attempt);
}

}  // namespace

std::string random_munge_key() {
    std::string key(128, '\0');
    if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
        throw_errno("make a key for munge");
    return key;
}

void write_slurm_files(const SlurmSite& site) {
    for (const char* open_to_all : {"munge", "log", "spool"})
        make_slurm_directory(open_to_all, 0755);
    for (const char* own : {"state", "sql", "data"}) make_slurm_directory(own, 0700);
    for (const auto& node : site.nodes) make_slurm_directory("spool/" + node.name, 0755);
    for (const auto& [path, mode, text] : slurm_files(site, random_munge_key()))
        write_new_file(path, static_cast<mode_t>(mode), text);
}

}  // namespace ductile::cluster
