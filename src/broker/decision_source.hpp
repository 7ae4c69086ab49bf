// Where the decisions about the size of a job come from: a policy of Ductile, or a program.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "broker/policy_lines_json.hpp"
#include "policy/policy.hpp"

namespace ductile::broker {

/// Why there is no decision.
struct NoDecision {
    std::string why;
};
using PolicyAnswer = std::variant<policy::Decision, NoDecision>;

class DecisionSource {
  public:
    using OnAnswer = std::function<void(const PolicyAnswer&)>;

    DecisionSource() = default;
    virtual ~DecisionSource() = default;
    DecisionSource(const DecisionSource&) = delete;
    DecisionSource& operator=(const DecisionSource&) = delete;
    /// For people.
    [[nodiscard]] virtual std::string name() const = 0;
    /// Whether it sees the cluster by itself. Then the question tells of the job alone.
    [[nodiscard]] virtual bool sees_cluster() const { return false; }
    /// Calls `on_answer` once: before it returns, or later from the event loop. Precondition: the
    /// previous question has been answered.
    virtual void ask(const PolicyQuestion& question, OnAnswer on_answer) = 0;
};

/// A policy of Ductile. Null for `manual` and for `site`.
std::unique_ptr<DecisionSource> make_own_policy(policy::Kind kind, const policy::Goals& goals = {});

}  // namespace ductile::broker
