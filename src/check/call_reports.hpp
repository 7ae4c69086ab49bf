// Compares the first collective calls of all ranks since a resize, while the program runs: a
// program may continue in spite of a difference. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/rank_state.hpp"

namespace ductile::check {

class CallReports {
  public:
    /// `generation`: how often the side channel was opened; it changes with each resize. Returns
    /// true if it is new. Then all earlier reports are dropped.
    bool begin(int generation);
    /// On each rank: whether the rank must report its calls now. `now`: seconds on a clock
    /// that only moves forward. True at most twice: soon after the first call, and when
    /// `RankState::kept` calls are made.
    bool is_due(const RankState& mine, double now);
    /// On rank 0: adds the report of a rank.
    void add(const RankState& state);
    /// Describes a difference in lines. Returns it only once.
    std::vector<std::string> take_difference();

  private:
    static constexpr double soon = 0.5;

    int generation_ = 0;
    int reported_ = 0;  ///< number of calls in the last report
    double first_seen_ = -1;
    bool is_new_ = false;
    bool is_printed_ = false;
    std::map<int, RankState> states_;
};

}  // namespace ductile::check
