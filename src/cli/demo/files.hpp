// Files of the demo: its working directory, and the comparison of two fields.
#pragma once

#include <cstdint>
#include <string>

namespace ductile::cli::demo {

/// A directory of this process's own under $TMPDIR or /tmp; removed with all in it at the end.
class WorkDirectory {
  public:
    /// Throws SystemError.
    WorkDirectory();
    ~WorkDirectory();
    WorkDirectory(const WorkDirectory&) = delete;
    WorkDirectory& operator=(const WorkDirectory&) = delete;
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

/// SHA-256 in hexadecimal. Throws SystemError when the file cannot be read.
std::string sha256(const std::string& path);

/// Whether two files have the same bytes, looked at byte by byte. Throws SystemError.
bool same_bytes(const std::string& one, const std::string& other);

/// After how many steps a field was written (apps/heat/field_file.hpp). Throws SystemError.
std::int64_t field_step(const std::string& path);

}  // namespace ductile::cli::demo
