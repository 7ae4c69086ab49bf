// Frozen arrays: the program does not write to them any more. So a helper may read them while the
// program computes.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "data/parts.hpp"
#include "plan/rule.hpp"

namespace ductile::data {

/// A frozen array. Its memory is shared.
struct FrozenArray {
    ArraySpec spec;
    plan::Rule rule;
    Block block;
};

/// Any thread may use it.
class FrozenArrays {
  public:
    void put(FrozenArray array) {
        const std::lock_guard lock(mutex_);
        auto name = array.spec.name;
        arrays_.insert_or_assign(std::move(name), std::move(array));
    }
    void erase(const std::string& name) {
        const std::lock_guard lock(mutex_);
        arrays_.erase(name);
    }
    /// All frozen arrays, in the order of their names.
    [[nodiscard]] std::vector<FrozenArray> all() const {
        const std::lock_guard lock(mutex_);
        std::vector<FrozenArray> list;
        for (const auto& [name, array] : arrays_) list.push_back(array);
        return list;
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::string, FrozenArray> arrays_;
};

}  // namespace ductile::data
