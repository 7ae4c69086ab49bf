// The first collective calls of all ranks since a resize, compared while the program runs: a
// difference need not make it hang. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/rank_state.hpp"

namespace ductile::check {

class CallReports {
  public:
    /// The job is one of its `generation`. True when it is another than before, and nothing of
    /// what was is of use.
    bool begin(int generation);
    /// On each rank, by seconds on a clock that rises: it is to report its calls now. Twice at
    /// most: soon after its first call, and once all are made that are kept.
    bool is_due(const RankState& mine, double now);
    /// On rank 0.
    void add(const RankState& state);
    /// What is wrong with them, in lines; said once.
    std::vector<std::string> take_difference();

  private:
    static constexpr double soon = 0.5;

    int generation_ = 0;
    int reported_ = 0;  ///< how many calls
    double first_seen_ = -1;
    bool is_new_ = false;
    bool is_said_ = false;
    std::map<int, RankState> states_;
};

}  // namespace ductile::check
