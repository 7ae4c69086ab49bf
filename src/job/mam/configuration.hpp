// The settings of MaM and the rules by which they change each other. Pure.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

namespace ductile::mam {

/// Returns the value of an environment variable, or null if it is not set.
using Environment = std::function<const char*(const char* name)>;

/// A key is one of enum mam_key_values, except MAM_NUM_TARGETS. Strategies are set one after the
/// other. Some strategies remove others.
class Configuration {
  public:
    /// The defaults of MaM, overridden by the environment.
    static Configuration from(const Environment& environment);

    /// Ignores values out of bounds, as MaM does. As in MaM, one-sided moves need a strategy that
    /// detects when they are complete, and one communicator of all processes. So, with one-sided
    /// moves, MAM_STRAT_RED_WAIT_TARGETS is set (also by set()) if neither it nor
    /// MAM_STRAT_RED_PTHREAD is set, and MAM_STRAT_SPAWN_INTERCOMM is removed.
    void set_all(const std::array<int, 5>& values);
    /// Returns the resulting value. For strategies returns MAM_STRATS_ADDED, MAM_STRATS_MODIFIED
    /// or, if the strategy was set already, MAM_OK. A value out of bounds changes nothing: returns
    /// the present value. Returns MAM_DENIED for an unknown key, and for negative numbers.
    int set(int key, int required);
    [[nodiscard]] bool contains(int key, unsigned strategy) const;
    /// The value of a key, if the program or the environment has set it.
    [[nodiscard]] std::optional<int> named(int key) const;

    /// The configuration as numbers, for processes that are added.
    using Numbers = std::array<int, 6>;
    [[nodiscard]] Numbers numbers() const;
    static Configuration from(const Numbers& numbers);

  private:
    [[nodiscard]] int set_strategy(int key, int strategy);
    void suit_one_sided_moves();

    std::array<int, 5> values_{};  ///< for each key; a mask for strategies
    unsigned named_ = 0;           ///< a bit for each key
};

/// MAM_NUM_TARGETS of the environment. 0 if it is not set.
int target_number_in(const Environment& environment);

}  // namespace ductile::mam
