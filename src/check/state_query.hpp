// How the job's rank 0 asks all ranks for their states, when a rank has waited too long. Pure.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "check/rank_state.hpp"

namespace ductile::check {

class StateQuery {
  public:
    /// Times are in seconds, on any clock that only moves forward. `pause`: the least time between
    /// two rounds.
    explicit StateQuery(double pause) : pause_(pause) {}

    /// A rank reports that it waits. True: ask all others now.
    bool on_report(const RankState& state, double now);
    void on_answer(const RankState& state);
    struct Result {
        RankState asked;
        std::vector<RankState> states;
    };
    /// The result, when all `ranks` ranks have answered, or their time to answer is over.
    std::optional<Result> take(int ranks, double now);
    void forget() { open_ = false; }

  private:
    static constexpr double answer_within = 2;

    double pause_;
    bool open_ = false;
    double since_ = 0;
    std::optional<double> last_;
    RankState asked_;
    std::map<int, RankState> answers_;
};

}  // namespace ductile::check
