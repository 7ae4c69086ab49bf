// A temporary folder that only this user can enter. The destructor removes it.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "ductile/error.hpp"

namespace ductile::cli {

/// The first of $TMPDIR, $TMP, $TEMP and $TEMPDIR that is set, or else /tmp. Throws SystemError if
/// this is no folder.
inline std::filesystem::path temporary_parent() {
    std::error_code error;
    auto parent = std::filesystem::temp_directory_path(error);
    if (error)
        throw SystemError("there is no folder for temporary files: " + error.message() +
                          "; set TMPDIR to a writable folder");
    return parent;
}

class PrivateFolder {
  public:
    /// "ductile-PURPOSE-..." in `parent`, with mode 0700. Throws SystemError.
    explicit PrivateFolder(const std::string& purpose,
                           const std::filesystem::path& parent = temporary_parent()) {
        std::string name = (parent / ("ductile-" + purpose + "-XXXXXX")).string();
        if (::mkdtemp(name.data()) == nullptr)
            throw SystemError("cannot make a folder in " + parent.string() + ": " +
                              std::strerror(errno) + "; set TMPDIR to a writable folder");
        path_ = name;
    }
    ~PrivateFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

}  // namespace ductile::cli
