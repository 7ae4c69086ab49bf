// Options of a job from all their sources: command line, DUCTILE_*, a TOML file
// (docs/commands/README.md, "Options from elsewhere").
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/job_options.hpp"
#include "broker/limits.hpp"
#include "core/size_range.hpp"

namespace ductile::cli {

/// The largest number of ranks in any option.
inline constexpr int most_ranks = 1 << 20;

/// A value that a user gave, with its source.
struct Given {
    std::string text;
    broker::Origin origin;
    /// For messages: "--min", "DUCTILE_MIN in the environment", "ductile.toml:3: min".
    std::string place;
};

/// The values in a TOML text, by their names with '-' in the place of '_'. `file`: its name, for
/// messages. Throws InputError that begins with file and line if the text is not TOML, or has
/// anything but values of `known` names, each a text, a number, true or false.
std::map<std::string, Given> parse_values(std::string_view text, const std::string& file,
                                          const std::set<std::string>& known);
/// The options in a TOML text, by their names on the command line (see parse_values).
std::map<std::string, Given> parse_options(std::string_view text, const std::string& file);

/// Looks options up by their name on the command line without the dashes ("ranks-per-host"). The
/// name in the environment is then DUCTILE_RANKS_PER_HOST, and ranks_per_host in the file.
class Settings {
  public:
    /// `file`: a TOML file. If empty: $DUCTILE_CONFIG, or no file. Throws InputError with file and
    /// line for a file that cannot be read, is not TOML, or has an unknown option.
    Settings(std::map<std::string, std::string> command_line, const std::string& file);
    /// Restores settings from asked() of an earlier object. The current environment and files have
    /// no effect.
    explicit Settings(const broker::JobOptions& asked);

    [[nodiscard]] std::optional<Given> find(const std::string& name) const;
    [[nodiscard]] std::string text(const std::string& name, const std::string& standard);
    /// Throws InputError that names the place if the value is not a whole number in [low, high].
    [[nodiscard]] broker::Setting<int> number(const std::string& name, int standard, int low,
                                              int high);
    /// One size or a range of sizes, each from 1 to `most`. Throws InputError that names the place.
    [[nodiscard]] core::SizeRange sizes(const std::string& name, core::SizeRange standard,
                                        int most);
    /// Throws InputError that names the place and the choices, if the value is none of them.
    [[nodiscard]] std::string choice(const std::string& name, const std::string& standard,
                                     const std::vector<std::string>& choices);
    [[nodiscard]] broker::Setting<double> seconds(const std::string& name, double standard);
    /// A part of a whole: above 0, and up to 1. Throws InputError that names the place.
    [[nodiscard]] double share(const std::string& name, double standard);
    /// From `low` to `high`. Throws InputError that names the place.
    [[nodiscard]] double real(const std::string& name, double standard, double low, double high);
    [[nodiscard]] bool flag(const std::string& name);

    /// All options that callers have read so far, with their values and sources. A call of find()
    /// does not count.
    [[nodiscard]] const broker::JobOptions& asked() const { return asked_; }

  private:
    template <class T>
    broker::Setting<T> noted(const std::string& name, broker::Setting<T> setting);

    std::map<std::string, std::string> command_line_;
    std::map<std::string, Given> file_;
    broker::JobOptions asked_;
    bool elsewhere_counts_ = true;
};

}  // namespace ductile::cli
