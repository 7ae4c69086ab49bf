#include "broker/job_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ductile::broker {

std::chrono::milliseconds JobPolicy::pause() const {
    constexpr int most_doublings = 20;
    const auto seconds = std::ldexp(every_s_, std::min(failures_, most_doublings));
    const auto most = std::max(every_s_, longest_pause_s);
    return std::chrono::ceil<std::chrono::milliseconds>(
        std::chrono::duration<double>(std::min(seconds, most)));
}

void JobPolicy::cannot_decide(int ranks, const std::string& why, double now_s) {
    state_ = Resting{};
    ++failures_;
    policy::Decision none;
    none.why = why;
    add_record(ranks, std::move(none), now_s);
}

void JobPolicy::suspend(int ranks, const std::string& why, double now_s) {
    suspended_until_s_ = now_s + suspension_s;
    policy::Decision none;
    none.why = fmt::format("{}; the policy decides again after {:.0f} s", why, suspension_s);
    add_record(ranks, std::move(none), now_s);
}

policy::Decision JobPolicy::raised(policy::Decision decision, const rms::RaiseAnswer& answer,
                                   double now_s) {
    if (std::holds_alternative<rms::Raised>(answer)) {
        raised_.raised(*decision.raised, now_s);
        decision.why += "; its priority is raised";
    }
    const auto* stays = std::get_if<rms::NotRaised>(&answer);
    if (stays != nullptr && !stays->why.empty())
        decision.why += "; its priority stays: " + stays->why;
    return decision;
}

std::optional<policy::WaitingJobId> JobPolicy::no_longer_raised(double now_s) {
    if (is_suspended(now_s)) return raised_.stops();
    if (rests()) return raised_.waits(now_s);
    raised_.resizes(now_s);
    return std::nullopt;
}

std::optional<NextStep> JobPolicy::decided(int ranks, const policy::Decision& decision,
                                           double now_s) {
    state_ = Resting{};
    add_record(ranks, decision, now_s);
    if (!decision.ranks) {
        failures_ = 0;
        return std::nullopt;
    }
    state_ = Asked{last_number_};
    NextStep step;
    if (decision.hosts)
        step.request.goal = NewSize{{*decision.hosts, *decision.hosts}, SizeUnit::hosts};
    else
        step.request.goal =
            NewSize{{decision.is_exact ? *decision.ranks : std::min(*decision.ranks, ranks + 1),
                     *decision.ranks}};
    step.request.wait = true;
    step.only_at_once = true;
    step.askers = {AskingPolicy{last_number_}};
    return step;
}

void JobPolicy::answered(int decision, const Reply& reply) {
    const auto* asked = std::get_if<Asked>(&state_);
    if (asked == nullptr || asked->decision != decision) return;
    state_ = Resting{};
    const bool worked = reply.kind == ReplyKind::done;
    failures_ = worked ? 0 : failures_ + 1;
    const auto record = std::ranges::find(records_, decision, &PolicyRecord::number);
    if (record != records_.end()) record->outcome = worked ? "done" : reply.text;
}

void JobPolicy::add_record(int ranks, policy::Decision decision, double now_s) {
    auto* last = records_.empty() ? nullptr : &records_.back();
    if (last != nullptr && !decision.ranks && last->decision == decision && last->ranks == ranks) {
        last->last_s = now_s;
        ++last->times;
        return;
    }
    records_.push_back({++last_number_, now_s, now_s, 1, ranks, std::move(decision), {}});
    if (records_.size() > kept_records) records_.pop_front();
}

void change_priorities(rms::Cluster& cluster, const policy::RaisedJob::Change& change,
                       const rms::OnRaised& on_raised) {
    auto* priorities = cluster.priorities();
    if (priorities != nullptr && change.put_back) priorities->put_back(*change.put_back);
    if (priorities == nullptr || !change.raise) return on_raised(rms::NotRaised{});
    priorities->raise(*change.raise, on_raised);
}

}  // namespace ductile::broker
