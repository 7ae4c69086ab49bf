#include "mpi/bounded_sends.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>

#include "mpi/control_variable.hpp"

namespace ductile::mpi {

namespace {

bool over_tcp() {
    const char* provider = std::getenv("FI_PROVIDER");
    return provider != nullptr && std::strstr(provider, "tcp") != nullptr;
}

/// The current bounds. Sets the library's variable to the smallest of them.
class Bounds {
  public:
    void add(int most_tries) {
        const std::lock_guard lock(mutex_);
        bounds_.insert(most_tries);
        set();
    }
    void remove(int most_tries) {
        const std::lock_guard lock(mutex_);
        bounds_.erase(bounds_.find(most_tries));
        set();
    }

  private:
    void set() {
        variable_.reset();
        if (!bounds_.empty() && over_tcp())
            variable_.emplace("MPIR_CVAR_CH4_OFI_MAX_EAGAIN_RETRY", *bounds_.begin());
    }
    std::mutex mutex_;
    std::multiset<int> bounds_;
    std::optional<ControlVariable> variable_;
};

// It is never destroyed, because a thread that is stuck in MPI may hold a bound when the process
// ends.
Bounds& all_bounds() {
    static auto* bounds = new Bounds;
    return *bounds;
}

}  // namespace

BoundedSends::BoundedSends(int most_tries) : most_tries_(most_tries) {
    all_bounds().add(most_tries);
}

void BoundedSends::lift() {
    if (!lifted_.exchange(true)) all_bounds().remove(most_tries_);
}

}  // namespace ductile::mpi
