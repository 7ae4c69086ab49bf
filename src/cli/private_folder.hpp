// A folder that only this user can enter, gone when its owner is.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "ductile/error.hpp"

namespace ductile::cli {

class PrivateFolder {
  public:
    /// "ductile-PURPOSE-..." in `parent` ($TMPDIR, or /tmp), with mode 0700. Throws SystemError.
    explicit PrivateFolder(const std::string& purpose, const std::filesystem::path& parent =
                                                           std::filesystem::temp_directory_path()) {
        std::string name = (parent / ("ductile-" + purpose + "-XXXXXX")).string();
        if (::mkdtemp(name.data()) == nullptr)
            throw SystemError("cannot make a folder in " + parent.string() + ": " +
                              std::strerror(errno) + "; set TMPDIR to one that is writable");
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
