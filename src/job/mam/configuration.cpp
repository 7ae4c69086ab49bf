#include "job/mam/configuration.hpp"

#include <charconv>
#include <cstring>
#include <vector>

#include "ductile/compat/mam.h"

namespace ductile::mam {

namespace {

/// One strategy: its bit, and the bits that it removes.
struct Strategy {
    int mask = 0;
    int excludes = 0;
};

struct Setting {
    const char* in_environment;
    int default_value;
    int end;                           ///< values must be smaller
    std::vector<Strategy> strategies;  ///< empty for a method
};

constexpr int waits = MAM_MASK_RED_WAIT_SOURCES | MAM_MASK_RED_WAIT_TARGETS;

const std::array<Setting, 5>& settings() {
    static const std::array<Setting, 5> all{{
        {MAM_SPAWN_METHOD_ENV, MAM_SPAWN_MERGE, MAM_SPAWN_MERGE + 1, {}},
        {MAM_SPAWN_STRATS_ENV,
         MAM_STRAT_SPAWN_CLEAR,
         MAM_STRAT_SPAWN_PARALLEL + 1,
         {{},
          {MAM_MASK_PTHREAD, 0},
          {MAM_MASK_SPAWN_SINGLE, MAM_MASK_SPAWN_PARALLEL},
          {MAM_MASK_SPAWN_INTERCOMM, 0},
          {MAM_MASK_SPAWN_MULTIPLE, MAM_MASK_SPAWN_PARALLEL},
          {MAM_MASK_SPAWN_PARALLEL, MAM_MASK_SPAWN_MULTIPLE | MAM_MASK_SPAWN_SINGLE}}},
        {MAM_PHYSICAL_DISTRIBUTION_METHOD_ENV, MAM_PHY_DIST_COMPACT, MAM_PHY_DIST_COMPACT + 1, {}},
        {MAM_RED_METHOD_ENV, MAM_RED_BASELINE, MAM_RED_RMA_LOCKALL + 1, {}},
        {MAM_RED_STRATS_ENV,
         MAM_STRAT_RED_CLEAR,
         MAM_STRAT_RED_WAIT_TARGETS + 1,
         {{},
          {MAM_MASK_PTHREAD, waits},
          {MAM_MASK_RED_WAIT_SOURCES, MAM_MASK_PTHREAD | MAM_MASK_RED_WAIT_TARGETS},
          {MAM_MASK_RED_WAIT_TARGETS, MAM_MASK_PTHREAD | MAM_MASK_RED_WAIT_SOURCES}}},
    }};
    return all;
}

std::optional<int> number_in(const Environment& environment, const char* name) {
    const char* text = environment(name);
    int number = 0;
    if (text == nullptr) return std::nullopt;
    const char* end = text + std::strlen(text);
    const auto read = std::from_chars(text, end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

bool is_key(int key) {
    return key >= 0 && key < static_cast<int>(settings().size());
}

unsigned bit_of(int key) {
    return 1U << static_cast<unsigned>(key);
}

const Setting& setting_of(int key) {
    return settings().at(static_cast<std::size_t>(key));
}

}  // namespace

Configuration Configuration::from(const Environment& environment) {
    Configuration made;
    for (int key = 0; is_key(key); ++key) {
        made.set(key, setting_of(key).default_value);
        const auto wished = number_in(environment, setting_of(key).in_environment);
        made.named_ &= ~bit_of(key);
        if (wished) made.set(key, *wished);
    }
    return made;
}

void Configuration::set_all(const std::array<int, 5>& values) {
    for (int key = 0; is_key(key); ++key)
        if (const int value = values.at(static_cast<std::size_t>(key)); value < setting_of(key).end)
            set(key, value);
}

int Configuration::set(int key, int required) {
    if (!is_key(key) || required < 0) return MAM_DENIED;
    auto& value = values_.at(static_cast<std::size_t>(key));
    if (required >= setting_of(key).end) return value;
    named_ |= bit_of(key);
    const bool is_strategy = !setting_of(key).strategies.empty();
    const int answer = is_strategy ? set_strategy(key, required) : value = required;
    suit_one_sided_moves();
    return answer;
}

void Configuration::suit_one_sided_moves() {
    const int method = values_[MAM_RED_METHOD];
    if (method != MAM_RED_RMA_LOCK && method != MAM_RED_RMA_LOCKALL) return;
    values_[MAM_SPAWN_STRATEGIES] &= ~MAM_MASK_SPAWN_INTERCOMM;
    auto& mask = values_[MAM_RED_STRATEGIES];
    if ((mask & (MAM_MASK_PTHREAD | MAM_MASK_RED_WAIT_TARGETS)) == 0)
        mask = MAM_MASK_RED_WAIT_TARGETS;
}

int Configuration::set_strategy(int key, int strategy) {
    auto& mask = values_.at(static_cast<std::size_t>(key));
    const auto& [own, excludes] = setting_of(key).strategies.at(static_cast<std::size_t>(strategy));
    if (own == 0) {
        mask = MAM_STRAT_CLEAR_VALUE;
        return MAM_STRATS_MODIFIED;
    }
    if ((mask & own) != 0) return MAM_OK;
    const bool takes_away = (mask & excludes) != 0;
    mask = (mask & ~excludes) | own;
    return takes_away ? MAM_STRATS_MODIFIED : MAM_STRATS_ADDED;
}

bool Configuration::contains(int key, unsigned strategy) const {
    if (!is_key(key) || strategy >= setting_of(key).strategies.size()) return false;
    const int own = setting_of(key).strategies[strategy].mask;
    return (values_.at(static_cast<std::size_t>(key)) & own) != 0;
}

std::optional<int> Configuration::named(int key) const {
    if (!is_key(key) || (named_ & bit_of(key)) == 0) return std::nullopt;
    return values_.at(static_cast<std::size_t>(key));
}

Configuration::Numbers Configuration::numbers() const {
    return {values_[0], values_[1], values_[2], values_[3], values_[4], static_cast<int>(named_)};
}

Configuration Configuration::from(const Numbers& numbers) {
    Configuration made;
    for (std::size_t i = 0; i < made.values_.size(); ++i) made.values_.at(i) = numbers.at(i);
    made.named_ = static_cast<unsigned>(numbers.back());
    return made;
}

int target_number_in(const Environment& environment) {
    return std::max(0, number_in(environment, MAM_NUM_TARGETS_ENV).value_or(0));
}

}  // namespace ductile::mam
