#include "broker/decision_source.hpp"

#include <utility>

namespace ductile::broker {

namespace {

class OwnPolicy final : public DecisionSource {
  public:
    OwnPolicy(policy::Kind kind, std::unique_ptr<policy::Policy> policy)
        : kind_(kind), policy_(std::move(policy)) {}
    [[nodiscard]] std::string name() const override {
        return std::string(policy::to_string(kind_));
    }
    void ask(const PolicyQuestion& question, OnAnswer on_answer) override {
        on_answer(policy_->decide(question.job, question.cluster, question.now_s));
    }

  private:
    policy::Kind kind_;
    std::unique_ptr<policy::Policy> policy_;
};

}  // namespace

std::unique_ptr<DecisionSource> make_own_policy(policy::Kind kind, const policy::Goals& goals) {
    auto policy = policy::make_policy(kind, goals);
    if (!policy) return nullptr;
    return std::make_unique<OwnPolicy>(kind, std::move(policy));
}

}  // namespace ductile::broker
