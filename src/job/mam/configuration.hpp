// The settings of MaM and the rules by which they change each other. Pure.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

namespace ductile::mam {

/// What an environment says under a name; null where it says nothing.
using Environment = std::function<const char*(const char* name)>;

/// A key is one of enum mam_key_values but MAM_NUM_TARGETS. Strategies are set one after the other;
/// some take others away.
class Configuration {
  public:
    /// MaM's defaults, and what the environment says instead.
    static Configuration from(const Environment& environment);

    /// Values that are out of bounds are passed over, as MaM does. As in MaM, one-sided moves need
    /// a strategy by which their end is known, and one communicator of all:
    /// MAM_STRAT_RED_WAIT_TARGETS is added where there is neither it nor a thread,
    /// MAM_STRAT_SPAWN_INTERCOMM taken away.
    void set_all(const std::array<int, 5>& values);
    /// The value that holds afterwards; of strategies MAM_STRATS_ADDED, MAM_STRATS_MODIFIED or, if
    /// it was there, MAM_OK. MAM_DENIED without such a key, and on negative numbers.
    int set(int key, int required);
    [[nodiscard]] bool contains(int key, unsigned strategy) const;
    /// The value of a key that the program or the environment has named.
    [[nodiscard]] std::optional<int> named(int key) const;

    /// As numbers, for processes that are added.
    using Numbers = std::array<int, 6>;
    [[nodiscard]] Numbers numbers() const;
    static Configuration from(const Numbers& numbers);

  private:
    [[nodiscard]] int set_strategy(int key, int strategy);
    void suit_one_sided_moves();

    std::array<int, 5> values_{};  ///< by key; of strategies their masks
    unsigned named_ = 0;           ///< a bit for each key
};

/// MAM_NUM_TARGETS of the environment; 0 where it says none.
int target_number_in(const Environment& environment);

}  // namespace ductile::mam
