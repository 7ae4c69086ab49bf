// Where output goes when nobody reads it any more: a file with a bound.
#pragma once

#include <string>
#include <string_view>

#include "wire/local_socket.hpp"

namespace ductile::agent {

/// Appends to `path` (made at the first write) until it holds `max_bytes`; then it says once, in
/// the file, that output was dropped, and drops. Never fails: a file that cannot be written drops,
/// too.
class OutputFile {
  public:
    explicit OutputFile(std::string path, std::size_t max_bytes = 16u << 20)
        : path_(std::move(path)), max_bytes_(max_bytes) {}
    void write(std::string_view data);

  private:
    std::string path_;
    std::size_t max_bytes_, written_ = 0;
    wire::Fd file_;
    bool opened_ = false, full_ = false;
};

}  // namespace ductile::agent
