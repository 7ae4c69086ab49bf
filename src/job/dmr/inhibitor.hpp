// How often a program written for DMR checks for a resize. Pure.
#pragma once

namespace ductile::dmr {

/// Lets each n-th call pass. All processes have the same count, because it restarts at each resize.
class Inhibitor {
  public:
    void let_each_pass(int nth) {
        nth_ = nth;
        restart();
    }
    void restart() { calls_ = 0; }
    [[nodiscard]] bool passes() {
        if (++calls_ < nth_) return false;
        restart();
        return true;
    }

  private:
    int nth_ = 1;
    int calls_ = 0;
};

}  // namespace ductile::dmr
