// The policy of a job: when it is asked, what it decides, and what became of its decisions.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "broker/decision_source.hpp"
#include "broker/open_resize.hpp"
#include "policy/raised_job.hpp"
#include "rms/cluster.hpp"

namespace ductile::broker {

/// A decision, or the reason why there was none.
struct PolicyRecord {
    int number = 0;  ///< counts up over the life of the broker
    /// When it was decided, first and last, in seconds since the broker's start.
    double first_s = 0, last_s = 0;
    int times = 1;  ///< how often in a row
    int ranks = 0;  ///< the size of the job
    policy::Decision decision;
    std::string outcome;  ///< of the request that followed; empty: none yet, or no request
};

class JobPolicy {
  public:
    /// `source`: null if only people and the program resize the job.
    JobPolicy(std::unique_ptr<DecisionSource> source, double every_s)
        : source_(std::move(source)), every_s_(every_s) {}

    [[nodiscard]] bool is_on() const { return source_ != nullptr; }
    /// Precondition: is_on().
    [[nodiscard]] std::string name() const { return source_->name(); }
    /// See DecisionSource::sees_cluster. Precondition: is_on().
    [[nodiscard]] bool sees_cluster() const { return source_->sees_cluster(); }
    /// The time until the policy is asked again. It is longer after failures: the policy could not
    /// decide, or its decision could not be carried out.
    [[nodiscard]] std::chrono::milliseconds pause() const;
    /// Whether the policy waits neither for a view of the cluster, nor for a decision, nor for the
    /// end of its resize.
    [[nodiscard]] bool rests() const { return std::holds_alternative<Resting>(state_); }

    /// The policy is about to be asked. First the broker looks at the cluster.
    void looks() { state_ = Looking{}; }
    /// See DecisionSource::ask.
    void ask(const PolicyQuestion& question, DecisionSource::OnAnswer on_answer) {
        source_->ask(question, std::move(on_answer));
    }
    /// There is no decision about a job of this size.
    void cannot_decide(int ranks, const std::string& why, double now_s);
    /// The question or the decision is dropped, for example because somebody else has begun a
    /// resize meanwhile.
    void gives_way() { state_ = Resting{}; }
    /// The policy decides nothing for suspension_s, for example so that it does not undo what a
    /// person did. `why`: for people.
    void suspend(int ranks, const std::string& why, double now_s);
    [[nodiscard]] bool is_suspended(double now_s) const { return now_s < suspended_until_s_; }
    /// The changes of priorities that come before the decision is carried out.
    [[nodiscard]] policy::RaisedJob::Change priorities_for(const policy::Decision& decision,
                                                           double now_s) {
        return raised_.decided(decision, now_s);
    }
    /// The answer to the raise of a priority that is a part of this decision. Returns the decision,
    /// with the answer added to its reason.
    [[nodiscard]] policy::Decision raised(policy::Decision decision, const rms::RaiseAnswer& answer,
                                          double now_s);
    /// To be called regularly. Returns the waiting job whose priority the caller must put back, if
    /// any.
    [[nodiscard]] std::optional<policy::WaitingJobId> no_longer_raised(double now_s);
    /// The policy has decided about a job of this size. Returns the request that follows, if any.
    [[nodiscard]] std::optional<NextStep> decided(int ranks, const policy::Decision& decision,
                                                  double now_s);
    /// The last reply to the request of this decision.
    void answered(int decision, const Reply& reply);

    /// The last decisions, the newest at the end. Equal decisions in a row that request no resize
    /// have one record.
    [[nodiscard]] const std::deque<PolicyRecord>& records() const { return records_; }

    static constexpr std::size_t kept_records = 64;
    static constexpr double longest_pause_s = 60;
    static constexpr double suspension_s = 600;

  private:
    struct Resting {};
    struct Looking {};
    struct Asked {
        int decision = 0;
    };

    void add_record(int ranks, policy::Decision decision, double now_s);

    std::unique_ptr<DecisionSource> source_;
    double every_s_;
    std::variant<Resting, Looking, Asked> state_;
    policy::RaisedJob raised_;
    std::deque<PolicyRecord> records_;
    int last_number_ = 0;
    double suspended_until_s_ = 0;
    int failures_ = 0;  ///< in a row: no decision, or one that could not be carried out
};

/// Carries the change out. `on_raised` is called once, also if no job is to be raised.
void change_priorities(rms::Cluster& cluster, const policy::RaisedJob::Change& change,
                       const rms::OnRaised& on_raised);

}  // namespace ductile::broker
