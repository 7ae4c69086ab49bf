// A map that keeps its last entries alone.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>

namespace ductile::groups {

/// An entry more than `most` takes the oldest one's place. A key that is there keeps its value.
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
    /// Null where there is none.
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
