// Tracks which sources are still in a background join. Pure.
#pragma once

#include <set>

#include "core/layout.hpp"

namespace ductile::resize {

class BackgroundJoin {
  public:
    void begin(int sources) { sources_ = sources; }
    /// A source has ended its join. Returns false if the source was not in the join.
    bool ended(const core::Process& source) { return is_open() && ended_.insert(source).second; }
    /// The resize no longer waits for sources that are still in the join.
    void forget() { forgotten_ = true; }
    [[nodiscard]] bool has_begun() const { return sources_ > 0; }
    [[nodiscard]] bool is_open() const {
        return !forgotten_ && static_cast<int>(ended_.size()) < sources_;
    }

    bool operator==(const BackgroundJoin&) const = default;
    template <class V>
    void fields(V& v) {
        v("sources", sources_), v("ended", ended_), v("forgotten", forgotten_);
    }

  private:
    int sources_ = 0;  ///< 0: the join has not begun
    std::set<core::Process> ended_;
    bool forgotten_ = false;
};

}  // namespace ductile::resize
