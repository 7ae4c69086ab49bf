#include "cli/output_place.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "ductile/error.hpp"

namespace ductile::cli {

void expect_place_for(const std::string& option, const std::string& path, MissingFolder missing) {
    if (path.empty()) return;
    const auto refuse = [&](const std::string& why) {
        throw InputError(option + " is '" + path + "', but " + why);
    };
    std::error_code ignored;
    const std::filesystem::path file(path);
    auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    if (missing == MissingFolder::made)
        while (folder.has_relative_path() && !std::filesystem::exists(folder, ignored))
            folder = folder.has_parent_path() ? folder.parent_path() : std::filesystem::path(".");
    if (!file.has_filename()) refuse("that names a folder");
    if (!std::filesystem::is_directory(folder, ignored))
        refuse("there is no folder " + folder.string());
    if (std::filesystem::is_directory(file, ignored)) refuse("that is a folder");
    if (std::filesystem::is_fifo(file, ignored))
        refuse("that is a FIFO, whose reader could hold the writer up");
    const bool exists = std::filesystem::exists(file, ignored);
    if (::access(exists ? file.c_str() : folder.c_str(), W_OK) != 0)
        refuse((exists ? "that file" : "the folder " + folder.string()) +
               " cannot be written: " + std::strerror(errno));
}

}  // namespace ductile::cli
