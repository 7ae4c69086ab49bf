// Options of a job from all the places they may come from: command line, DUCTILE_*, a TOML file
// (design, section 3).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "broker/limits.hpp"

namespace ductile::cli {

/// A value that was given somewhere, with where.
struct Given {
    std::string text;
    broker::Origin origin;
    std::string place;  ///< for messages: "--min", "DUCTILE_MIN", "ductile.toml: min"
};

/// Looks options up by their name on the command line without dashes in front ("ranks-per-host"),
/// which is DUCTILE_RANKS_PER_HOST in the environment and ranks_per_host in the file.
class Settings {
  public:
    /// `file`: a TOML file, or empty for $DUCTILE_CONFIG, or else none. Throws InputError with file
    /// and line for a file that cannot be read, is not TOML, or names an option that there is not.
    Settings(std::map<std::string, std::string> command_line, const std::string& file);

    [[nodiscard]] std::optional<Given> find(const std::string& name) const;
    [[nodiscard]] std::string text(const std::string& name, const std::string& standard) const;
    /// Throws InputError that names the place when it is not a whole number in [low, high].
    [[nodiscard]] broker::Setting<int> number(const std::string& name, int standard, int low,
                                              int high) const;
    [[nodiscard]] broker::Setting<double> seconds(const std::string& name, double standard) const;
    [[nodiscard]] bool flag(const std::string& name) const;

  private:
    std::map<std::string, std::string> command_line_;
    std::map<std::string, Given> file_;
};

}  // namespace ductile::cli
