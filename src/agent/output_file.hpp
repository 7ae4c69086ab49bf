// Where output goes when nobody reads it any more: a file with a bound.
#pragma once

#include <string>
#include <string_view>

#include "wire/local_socket.hpp"

namespace ductile::agent {

/// Where an agent's output file may be made: in `wanted`, if that directory belongs to this user
/// and others cannot write there; else in a private directory of this user's, `fallback` (made if
/// it is not there). Empty when neither can be had.
[[nodiscard]] std::string output_folder(const std::string& wanted, const std::string& fallback);

/// Makes `path` at the first write, or `path` with a number behind it if that name is taken: never
/// a file that was there before. Appends until it holds `max_bytes`; then it says once, in the
/// file, that output was dropped, and drops. Never fails: a file that cannot be written drops, too.
class OutputFile {
  public:
    explicit OutputFile(std::string path, std::size_t max_bytes = 16u << 20)
        : path_(std::move(path)), max_bytes_(max_bytes) {}
    void write(std::string_view data);

  private:
    void open();

    std::string path_;
    std::size_t max_bytes_, written_ = 0;
    wire::Fd file_;
    bool opened_ = false, full_ = false;
};

}  // namespace ductile::agent
