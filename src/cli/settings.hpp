// Options of a job from all the places they may come from: command line, DUCTILE_*, a TOML file
// (design, section 3).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/job_options.hpp"
#include "broker/limits.hpp"
#include "core/size_range.hpp"

namespace ductile::cli {

/// That any option may ask for.
inline constexpr int most_ranks = 1 << 20;

/// A value that was given somewhere, with where.
struct Given {
    std::string text;
    broker::Origin origin;
    std::string place;  ///< for messages: "--min", "DUCTILE_MIN", "ductile.toml: min"
};

/// The options in a TOML text, by their names on the command line. `file` is its name, for
/// messages. Throws InputError that begins with file and line for a text that is not TOML, and for
/// an option that there is not.
std::map<std::string, Given> parse_options(std::string_view text, const std::string& file);

/// Looks options up by their name on the command line without dashes in front ("ranks-per-host"),
/// which is DUCTILE_RANKS_PER_HOST in the environment and ranks_per_host in the file.
class Settings {
  public:
    /// `file`: a TOML file, or empty for $DUCTILE_CONFIG, or else none. Throws InputError with file
    /// and line for a file that cannot be read, is not TOML, or names an option that there is not.
    Settings(std::map<std::string, std::string> command_line, const std::string& file);
    /// As they were when another one had been asked for all this, whatever is in the environment
    /// and in files now.
    explicit Settings(const broker::JobOptions& asked);

    [[nodiscard]] std::optional<Given> find(const std::string& name) const;
    [[nodiscard]] std::string text(const std::string& name, const std::string& standard);
    /// Throws InputError that names the place when it is not a whole number in [low, high].
    [[nodiscard]] broker::Setting<int> number(const std::string& name, int standard, int low,
                                              int high);
    /// One size or a range of them, each from 1 to `most`. Throws InputError that names the place.
    [[nodiscard]] core::SizeRange sizes(const std::string& name, core::SizeRange standard,
                                        int most);
    /// Throws InputError that names the place, and the choices, when it is none of them.
    [[nodiscard]] std::string choice(const std::string& name, const std::string& standard,
                                     const std::vector<std::string>& choices);
    [[nodiscard]] broker::Setting<double> seconds(const std::string& name, double standard);
    [[nodiscard]] bool flag(const std::string& name);

    /// Each option that was asked for so far.
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
