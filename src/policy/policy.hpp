// A policy decides when a malleable job grows or shrinks. Pure.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "policy/views.hpp"

namespace ductile::policy {

/// A policy knows one job. It is asked only while this job could begin a resize. For example, it is
/// not asked while a resize is open, or while the inhibitor of the job (a pause after each resize)
/// forbids one.
class Policy {
  public:
    virtual ~Policy() = default;
    /// `now_s`: seconds since any fixed time. It never decreases.
    virtual Decision decide(const JobView& job, const ClusterView& cluster, double now_s) = 0;
};

/// `manual`: only people and the program resize the job. `site`: ductiled decides, for all jobs of
/// the site.
enum class Kind { manual, natural, preferred, efficiency, energy, site };

inline constexpr std::array all_kinds{Kind::manual,     Kind::natural, Kind::preferred,
                                      Kind::efficiency, Kind::energy,  Kind::site};
[[nodiscard]] std::string_view to_string(Kind kind);
[[nodiscard]] std::optional<Kind> kind_named(std::string_view name);

/// What the policy `efficiency` aims at: the efficiency of a job is at most `band` away from
/// `target`.
struct EfficiencyGoal {
    double target = 0.8;
    double band = 0.05;
};

/// What the policy `energy` makes small: energy * time^delay_weight, both from one resize point to
/// the next. 0: the energy; 1: the energy-delay product; 2: ED2P.
struct EnergyGoal {
    double delay_weight = 1;
};

/// What the policies aim at that have an aim of their own.
struct Goals {
    EfficiencyGoal efficiency;
    EnergyGoal energy;
};

/// Returns null for `manual` and for `site`.
[[nodiscard]] std::unique_ptr<Policy> make_policy(Kind kind, const Goals& goals = {});

}  // namespace ductile::policy
