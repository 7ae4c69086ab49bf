// How the job's rank 0 asks all ranks where they are, once a rank has waited too long. Pure.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "check/rank_state.hpp"

namespace ductile::check {

class Roundup {
  public:
    /// Seconds on any clock that rises. `pause`: between two rounds.
    explicit Roundup(double pause) : pause_(pause) {}

    /// A rank waits. True: ask all others now.
    bool on_report(const RankState& state, double now);
    void on_answer(const RankState& state);
    struct Result {
        RankState asked;
        std::vector<RankState> states;
    };
    /// Of `ranks` all have answered, or had time to.
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
