// Whose call it is: the program's, or one of Ductile or of the MPI itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ductile::check {

class OwnCode {
  public:
    /// Looks at what the process has loaded by now.
    void read();
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

/// "heat+0x12ab", as addr2line takes it.
std::string place_of(const void* code);

}  // namespace ductile::check
