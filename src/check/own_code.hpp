// Whether code belongs to the program, or to Ductile or the MPI itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ductile::check {

class OwnCode {
  public:
    /// Reads the libraries that the process has loaded by now.
    void read();
    /// Whether this address is in the code of Ductile or of the MPI.
    [[nodiscard]] bool holds(const void* code) const;
    /// libductile is loaded, so the program may make a Job.
    [[nodiscard]] bool has_library() const { return has_library_; }

  private:
    struct Range {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
    };
    std::vector<Range> ranges_;
    bool has_library_ = false;
};

/// The file and the offset of the call before the return address `code`: "heat+0x12ab" for
/// `addr2line -e heat 0x12ab`.
std::string place_of(const void* code);

}  // namespace ductile::check
