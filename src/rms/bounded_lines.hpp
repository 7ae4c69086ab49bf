// Splits a stream of bytes into numbered whole lines. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ductile::rms {

/// Yields lines without their newlines, counted from 1. A line longer than `max_line` is yielded
/// once, without text, as soon as it is too long. The rest of that line is dropped.
///
/// BoundedLines(3): add("ab\nc") yields {1, "ab"}, add("def") then {2, nothing}, add("g\nh\n") then
/// {3, "h"}.
class BoundedLines {
  public:
    struct Line {
        int number = 0;
        std::optional<std::string> text;
        bool operator==(const Line&) const = default;
    };

    explicit BoundedLines(std::size_t max_line) : max_line_(max_line) {}

    std::vector<Line> add(std::string_view bytes) {
        std::vector<Line> lines;
        while (!bytes.empty()) {
            const auto newline = bytes.find('\n');
            const bool whole = newline != std::string_view::npos;
            add_part(bytes.substr(0, newline), lines);
            bytes.remove_prefix(whole ? newline + 1 : bytes.size());
            if (!whole) break;
            if (partial_) lines.push_back({number_, std::move(partial_)});
            partial_.emplace();
            ++number_;
        }
        return lines;
    }

  private:
    void add_part(std::string_view part, std::vector<Line>& lines) {
        if (!partial_) return;
        if (partial_->size() + part.size() <= max_line_) {
            *partial_ += part;
        } else {
            partial_.reset();
            lines.push_back({number_, std::nullopt});
        }
    }

    std::size_t max_line_;
    int number_ = 1;
    std::optional<std::string> partial_{std::in_place};  ///< none: the line is too long
};

}  // namespace ductile::rms
