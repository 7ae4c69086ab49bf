// A map that keeps only its newest entries.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>

namespace ductile::groups {

/// If there are more than `most` entries, the oldest one is removed. Adding a key that exists does
/// not change its value.
template <class Key, class Value>
class RecentMap {
  public:
    explicit RecentMap(std::size_t most) : most_(most) {}

    void add(const Key& key, Value value) {
        if (!entries_.emplace(key, std::move(value)).second) return;
        order_.push_back(key);
        if (order_.size() <= most_) return;
        entries_.erase(order_.front());
        order_.pop_front();
    }
    /// Null if there is no such entry.
    [[nodiscard]] const Value* find(const Key& key) const {
        const auto at = entries_.find(key);
        return at == entries_.end() ? nullptr : &at->second;
    }

  private:
    const std::size_t most_;
    std::map<Key, Value> entries_;
    std::deque<Key> order_;
};

}  // namespace ductile::groups
