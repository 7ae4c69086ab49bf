// Arrays that the program does not write to any more, for a helper that reads them while it
// computes.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "data/parts.hpp"
#include "plan/rule.hpp"

namespace ductile::data {

/// One of them; its memory is shared.
struct FrozenArray {
    ArraySpec spec;
    plan::Rule rule;
    Block block;
};

/// For any thread.
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
    /// By name, rising.
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
