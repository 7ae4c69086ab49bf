// Splits the bytes that a rank writes into lines.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmi/limits.hpp"

namespace ductile::pmi {

/// Collects bytes and returns whole lines without their newlines. A line longer than
/// limits::line_bytes is returned unfinished, so that HostWorld refuses it. The buffer holds
/// limits::line_bytes + 1 bytes at most.
///
/// Example: add("cmd=in") returns nothing. Then add("it\ncmd=") returns {"cmd=init"}.
class LineBuffer {
  public:
    std::vector<std::string> add(std::string_view bytes) {
        std::vector<std::string> lines;
        while (!bytes.empty()) {
            const auto newline = bytes.find('\n');
            const auto part = bytes.substr(0, newline);
            const auto room = limits::line_bytes + 1 - partial_.size();
            partial_ += part.substr(0, room);
            bytes.remove_prefix(newline == bytes.npos ? bytes.size() : newline + 1);
            const bool whole = newline != std::string_view::npos;
            if (whole || partial_.size() > limits::line_bytes)
                lines.push_back(std::exchange(partial_, {}));
        }
        return lines;
    }

  private:
    std::string partial_;
};

}  // namespace ductile::pmi
