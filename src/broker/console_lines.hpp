// How the output of several writers shares a terminal or a file. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/layout.hpp"
#include "core/partial_lines.hpp"

namespace ductile::broker {

/// Where a stream shows partial lines, one writer's text is not continued by another's: the other
/// begins a new line, and the rest of the broken line comes on a line of its own. A carriage return
/// goes back to the begin of the writer's line. The two streams of one process are one writer.
/// Elsewhere text passes as it is.
class ConsoleLines {
  public:
    struct Setup {
        bool tag = false;                 ///< each line of a rank begins with [gGROUP.RANK]
        core::PartialLines partial = {};  ///< of the ranks
        bool same_place = false;          ///< stdout and stderr are the same terminal or file
    };

    explicit ConsoleLines(Setup setup) : setup_(setup) {}

    /// What to write to `stream` (1 or 2) for the text of this rank.
    [[nodiscard]] std::string of_rank(const core::Process& writer, int stream,
                                      std::string_view text);
    /// The user has ended the line on the terminal with the return key.
    void end_lines() { open_ = {}; }
    /// The same for whole lines of Ductile itself, which have no tag.
    [[nodiscard]] std::string of_ductile(int stream, std::string_view lines);

  private:
    /// A line that is not complete.
    struct Open {
        core::Process writer;
        bool is_at_begin = false;  ///< the last character was a carriage return
    };

    std::optional<Open>& open_on(int stream);
    std::string tag_of(const core::Process& writer) const;

    Setup setup_;
    std::array<std::optional<Open>, 2> open_;
};

}  // namespace ductile::broker
