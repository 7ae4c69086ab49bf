// The output of the demo. Pure except for the printing itself.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "report/timeline.hpp"

namespace ductile::cli::demo {

/// Prints lines with the seconds since this object was made.
class Narration {
  public:
    void print(const std::string& text) const;
    /// Prints a line that continues the one above, without the time.
    void more(const std::string& text) const;
    [[nodiscard]] double seconds() const;

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "8 ranks on 4 hosts     2.31 ms an iteration   node01 node02 node03 node04"
std::string pace_line(int ranks, double iteration_s, const std::vector<std::string>& hosts);

/// The costs of a resize: a line for the background, one for the wait, one for the whole.
std::vector<std::string> cost_lines(const report::Resize& resize);

/// "node01 node02"
std::string joined_names(const std::vector<std::string>& names);

}  // namespace ductile::cli::demo
