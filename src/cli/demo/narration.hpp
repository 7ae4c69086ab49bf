// What the demo prints. Pure but for the printing itself.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "report/timeline.hpp"

namespace ductile::cli::demo {

/// Prints lines with the seconds since it was made.
class Narration {
  public:
    void say(const std::string& text) const;
    /// A line below another, without the time.
    void more(const std::string& text) const;
    [[nodiscard]] double seconds() const;

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "8 ranks on 4 hosts     2.31 ms an iteration   node01 node02 node03 node04"
std::string pace_line(int ranks, double iteration_s, const std::vector<std::string>& hosts);

/// What a resize cost: a line for the background, one for the wait, one for all of it.
std::vector<std::string> cost_lines(const report::Resize& resize);

/// "node01 node02"
std::string joined_names(const std::vector<std::string>& names);

}  // namespace ductile::cli::demo
