// How many processes MPI_Comm_spawn may start: the info key `soft` (MPI 5.0, section 11.8.4). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ductile::plan {

/// The set of numbers that a text names: "a", "a:b" or "a:b:c", separated by commas. a:b:c is a,
/// a+c, a+2c, ... up to b, or down to b if c is negative.
///
/// Example: "2:10:2,7" is {2, 4, 6, 7, 8, 10}.
class SoftCounts {
  public:
    /// The set, or the reason why the text is wrong, to follow "info key soft: ". Numbers have at
    /// most 15 digits.
    static std::variant<SoftCounts, std::string> parse(std::string_view text);

    /// The largest number of the set from 0 to `most`; nullopt if there is none.
    [[nodiscard]] std::optional<int> largest_up_to(int most) const;

  private:
    /// An ascending range; `last` belongs to it.
    struct Range {
        std::int64_t first = 0, last = 0, step = 1;
    };
    static std::optional<Range> parse_range(std::string_view word);

    std::vector<Range> ranges_;
};

}  // namespace ductile::plan
