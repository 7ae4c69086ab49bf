// A file with a bound, for output that nobody reads any more.
#pragma once

#include <string>
#include <string_view>

#include "wire/local_socket.hpp"

namespace ductile::agent {

/// The folder for an agent's output file: `wanted`, if this directory belongs to this user and
/// others cannot write there. Otherwise `fallback`, a private directory of this user, which is made
/// if it does not exist. Empty if neither can be used.
[[nodiscard]] std::string output_folder(const std::string& wanted, const std::string& fallback);

/// Makes the file at the first write. If `path` exists, appends a number to the name: never writes
/// to a file that existed before. Instead of output that would exceed `max_bytes`, writes a
/// notice, and then drops all further output. Never fails: drops the output if the file cannot be
/// written.
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
