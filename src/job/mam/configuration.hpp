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

    /// Values that are out of bounds are passed over, as MaM does.
    void set_all(const std::array<int, 5>& values);
    /// The value that holds afterwards; of strategies MAM_STRATS_ADDED, MAM_STRATS_MODIFIED or, if
    /// it was there, MAM_OK. MAM_DENIED without such a key, and on negative numbers.
    int set(int key, int required);
    [[nodiscard]] bool contains(int key, unsigned strategy) const;
    /// The spawn method that the program or the environment has named.
    [[nodiscard]] std::optional<int> spawn_method() const;

    /// As numbers, for processes that are added.
    using Numbers = std::array<int, 6>;
    [[nodiscard]] Numbers numbers() const;
    static Configuration from(const Numbers& numbers);

  private:
    [[nodiscard]] int set_strategy(int key, int strategy);

    std::array<int, 5> values_{};  ///< by key; of strategies their masks
    bool names_method_ = false;
};

/// MAM_NUM_TARGETS of the environment; 0 where it says none.
int target_number_in(const Environment& environment);

}  // namespace ductile::mam
