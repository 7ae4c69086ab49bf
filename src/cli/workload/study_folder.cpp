#include "cli/workload/study_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <filesystem>
#include <random>

#include "cli/small_file.hpp"
#include "cli/workload/records_json.hpp"
#include "ductile/error.hpp"
#include "rms/self.hpp"

namespace ductile::cli {
namespace {

namespace fs = std::filesystem;
constexpr const char* study_name = "study.toml";
constexpr const char* records_name = "records.json";
constexpr const char* name_name = "name";

bool exists(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

os::Fd lock_of(const os::PrivateDirectory& directory) {
    os::Fd lock{::openat(directory.fd(), "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (lock.get() < 0) throw SystemError("cannot make a lock in " + directory.path());
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
        throw InputError("another `ductile workload` command uses " + directory.path() +
                         "; wait until it has ended, or choose another --directory");
    return lock;
}

/// The first part of the names that jobs of this folder have in Slurm. A folder that has no such
/// name gets a random one.
std::string name_of(const os::PrivateDirectory& directory) {
    const auto file = directory.path() + "/" + name_name;
    if (!exists(file)) write_small_file(file, fmt::format("w{:06x}", std::random_device{}() >> 8));
    return read_small_file(file, "name");
}

}  // namespace

StudyFolder StudyFolder::for_runs(const std::string& folder, const std::string& study_file) {
    const auto text = read_small_file(study_file, "study");
    auto study = workload::parse_study(text, study_file);
    auto directory = os::PrivateDirectory::make(fs::absolute(folder));
    auto lock = lock_of(directory);
    const auto kept = directory.path() + "/" + study_name;
    if (!exists(kept))
        write_small_file(kept, text);
    else if (read_small_file(kept, "study") != text)
        throw InputError(folder + " has the results of another study: its " + study_name +
                         " differs from " + study_file + "; choose another --directory");
    auto name = name_of(directory);
    return {std::move(directory), std::move(name), std::move(study), std::move(lock)};
}

StudyFolder StudyFolder::for_results(const std::string& folder) {
    auto directory = os::PrivateDirectory::find(fs::absolute(folder));
    const auto kept = directory ? directory->path() + "/" + study_name : std::string();
    if (!directory || !exists(kept))
        throw InputError(folder + " is no folder of a study; `ductile workload run` makes one");
    auto study = workload::parse_study(read_small_file(kept, "study"), kept);
    return {std::move(*directory), {}, std::move(study), os::Fd{}};
}

RunPlace StudyFolder::place(const std::string& run) const {
    const auto program = rms::self_path();
    return {name_ + "-" + run + "-", path(run), program,
            program.substr(0, program.rfind('/')) + "/paced"};
}

std::string StudyFolder::path(const std::string& run) const {
    return directory_.path() + "/" + run;
}

std::optional<std::vector<workload::JobRecord>> StudyFolder::results(const std::string& run) const {
    const auto file = path(run) + "/" + records_name;
    if (!exists(file)) return std::nullopt;
    return parse_records(read_small_file(file, "records"), file);
}

void StudyFolder::begin(const std::string& run) const {
    directory_.remove_child(run);
    static_cast<void>(directory_.make_child(run));
}

void StudyFolder::keep_results(const std::string& run,
                               const std::vector<workload::JobRecord>& records) const {
    write_small_file(path(run) + "/" + records_name, records_text(records));
}

}  // namespace ductile::cli
