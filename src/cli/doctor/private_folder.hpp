// A folder that only this user can enter, gone when its owner is.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace ductile::cli {

class PrivateFolder {
  public:
    /// In `parent`, with mode 0700. Throws std::system_error.
    explicit PrivateFolder(const std::filesystem::path& parent) {
        std::string name = (parent / "ductile-doctor-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(),
                                    "cannot make a folder in " + parent.string());
        path_ = name;
    }
    ~PrivateFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace ductile::cli
